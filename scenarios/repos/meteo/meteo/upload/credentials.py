"""Keys of the networks: from the environment, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from meteo.errors import MissingKey, UploadError

PREFIX = "METEO_KEY_"

MASK = "***"


def variable(network: str) -> str:
    """Name of the variable that holds a network's key."""
    return PREFIX + network.upper().replace("-", "_")


def key_for(network: str, environment: Mapping[str, str]) -> str:
    """The key of a network. Raises MissingKey, and UploadError for one that can't stand in a header."""
    name = variable(network)
    key = environment.get(name, "").strip()
    if not key:
        raise MissingKey(network, name)
    if any(character in key for character in "\r\n\0"):
        raise UploadError(f"{name} holds a control character")
    return key


def available(networks: list[str], environment: Mapping[str, str]) -> dict[str, bool]:
    """Which networks have a key, for ``meteo networks``; the keys themselves aren't shown."""
    return {network: bool(environment.get(variable(network), "").strip()) for network in networks}


def masked(pairs: Mapping[str, str], sensitive: frozenset[str]) -> dict[str, str]:
    """A copy with the values of sensitive names hidden; names are compared without regard to case."""
    hidden = {name.lower() for name in sensitive}
    return {name: MASK if name.lower() in hidden else value for name, value in pairs.items()}
