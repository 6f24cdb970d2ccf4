"""Units: what each parameter is kept in, and conversions from what instruments deliver."""

from __future__ import annotations

import math
from collections.abc import Callable

from meteo.errors import UnitError

OWN_UNIT = {
    "temperature": "C",
    "dew_point": "C",
    "pressure": "hPa",
    "wind_speed": "m/s",
    "gust": "m/s",
    "wind_direction": "deg",
    "rain": "mm",
    "humidity": "%",
}

_CONVERSIONS: dict[tuple[str, str], Callable[[float], float]] = {
    ("F", "C"): lambda value: (value - 32.0) * 5.0 / 9.0,
    ("K", "C"): lambda value: value - 273.15,
    ("Pa", "hPa"): lambda value: value / 100.0,
    ("inHg", "hPa"): lambda value: value * 33.8638866667,
    ("mmHg", "hPa"): lambda value: value * 1.33322387415,
    ("km/h", "m/s"): lambda value: value / 3.6,
    ("kt", "m/s"): lambda value: value * 1852.0 / 3600.0,
    ("mph", "m/s"): lambda value: value * 0.44704,
    ("in", "mm"): lambda value: value * 25.4,
}


def convert(parameter: str, value: float, unit: str | None) -> float:
    """``value`` in the parameter's own unit.

    Raises UnitError for a parameter that isn't known or a unit that it isn't measured in.
    """
    own = OWN_UNIT.get(parameter)
    if own is None:
        raise UnitError(f"unknown parameter {parameter!r}")
    if unit is None or unit == own:
        return value
    conversion = _CONVERSIONS.get((unit, own))
    if conversion is None:
        raise UnitError(f"{parameter}: can't convert from {unit!r} to {own!r}")
    return conversion(value)


def normalise_degrees(degrees: float) -> float:
    """A direction in (0, 360]: north is 360, because 0 stands for calm."""
    turned = degrees % 360.0
    return 360.0 if turned == 0.0 else turned


def format_value(parameter: str, value: float | None, digits: int = 1) -> str:
    """Value and unit as people read them; a dash when there is none."""
    if value is None:
        return "-"
    if parameter == "wind_direction":
        return f"{value:03.0f}°"
    unit = OWN_UNIT.get(parameter, "")
    return f"{value:.{digits}f} {unit}".rstrip()


def dew_point(temperature: float, humidity: float) -> float:
    """Dew point in C after Magnus, with Sonntag's 1990 coefficients over water.

    Raises ValueError for a humidity outside (0, 100].
    """
    if not 0.0 < humidity <= 100.0:
        raise ValueError(f"humidity {humidity} % is outside (0, 100]")
    gamma = math.log(humidity / 100.0) + 17.62 * temperature / (243.12 + temperature)
    return 243.12 * gamma / (17.62 - gamma)
