"""Settings file: INI, every key known, every value checked."""

from __future__ import annotations

import configparser
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from meteo.alerts import Rule
from meteo.errors import ConfigError
from meteo.qc.step import StepLimit, parse_limits
from meteo.retention import Policy
from meteo.timeutil import parse_duration


@dataclass(frozen=True)
class Settings:
    """What a settings file can change; the defaults are those of an empty file."""

    needed_share: float = 0.75
    accept_suspect: bool = False
    fill_up_to: timedelta = timedelta(hours=1)
    rules: tuple[Rule, ...] = field(default_factory=tuple)
    retention: Policy = Policy()
    step_limits: dict[str, StepLimit] | None = None


_KNOWN = {
    "aggregate": {"needed_share", "accept_suspect"},
    "fill": {"longest"},
    "retention": {"days", "months"},
}

_FREE = frozenset({"alerts", "step"})
"""Sections whose keys are checked by the module that they belong to."""


def load(path: Path | None) -> Settings:
    """Reads a settings file; None gives the defaults. Raises ConfigError."""
    if path is None:
        return Settings(rules=default_rules())
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, source: str = "settings") -> Settings:
    """Sections ``[aggregate]``, ``[fill]``, ``[retention]``, ``[step]`` and ``[alerts]`` (name = rule)."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text, source)
    except configparser.Error as error:
        raise ConfigError(f"{source}: {error.message}") from error
    _check_keys(parser, source)
    try:
        return Settings(
            needed_share=_share(parser.get("aggregate", "needed_share", fallback="0.75")),
            accept_suspect=parser.getboolean("aggregate", "accept_suspect", fallback=False),
            fill_up_to=parse_duration(parser.get("fill", "longest", fallback="1h")),
            rules=_rules(parser),
            retention=Policy.parse(
                parser.get("retention", "days", fallback="90d"), parser.get("retention", "months", fallback="730d")
            ),
            step_limits=parse_limits(dict(parser.items("step"))) if parser.has_section("step") else None,
        )
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from error


def default_rules() -> tuple[Rule, ...]:
    """The rules of an empty ``[alerts]`` section."""
    return (
        Rule.parse("storm", "wind_speed >= 17.2 for 20min"),
        Rule.parse("gale gusts", "gust >= 20.8"),
        Rule.parse("frost", "temperature < 0 for 30min"),
    )


def _rules(parser: configparser.ConfigParser) -> tuple[Rule, ...]:
    if not parser.has_section("alerts"):
        return default_rules()
    return tuple(Rule.parse(name, text) for name, text in parser.items("alerts"))


def _check_keys(parser: configparser.ConfigParser, source: str) -> None:
    for section in parser.sections():
        if section in _FREE:
            continue
        if section not in _KNOWN:
            raise ConfigError(f"{source}: unknown section [{section}]")
        unknown = sorted(set(parser.options(section)) - _KNOWN[section])
        if unknown:
            raise ConfigError(f"{source}: [{section}] has no key {unknown[0]!r}")


def _share(text: str) -> float:
    share = float(text)
    if not 0.0 < share <= 1.0:
        raise ValueError(f"needed_share must lie in (0, 1], found {text}")
    return share
