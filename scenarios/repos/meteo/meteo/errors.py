"""Errors that the command line turns into one clear line and an exit code."""


class MeteoError(Exception):
    """Base of every error a user can cause."""

    exit_code = 1


class ParseError(MeteoError):
    """Input that isn't what its format promises."""

    exit_code = 65

    def __init__(self, source: str, line: int, reason: str):
        super().__init__(f"{source}:{line}: {reason}")
        self.source = source
        self.line = line
        self.reason = reason


class ConfigError(MeteoError):
    """A settings file with an unknown key or an impossible value."""

    exit_code = 64


class UnitError(MeteoError):
    """A unit that the parameter can't be converted from."""

    exit_code = 65


class UnknownStation(MeteoError):
    """A station id that the registry doesn't hold."""

    exit_code = 64

    def __init__(self, station: str):
        super().__init__(f"unknown station {station!r}")
        self.station = station


class UploadError(MeteoError):
    """A request to a network that can't be built or was refused."""

    exit_code = 74


class MissingKey(UploadError):
    """No key for a network in the environment."""

    def __init__(self, network: str, variable: str):
        super().__init__(f"no key for network {network}: set {variable}")
        self.network = network
        self.variable = variable
