"""Station registry: where the stations are, and what networks know them as."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from meteo.errors import ConfigError, UnknownStation

EARTH_RADIUS_KM = 6371.0


@dataclass(frozen=True)
class Station:
    """A place with instruments. Heights are metres above mean sea level."""

    id: str
    name: str
    latitude: float
    longitude: float
    height: float
    interval_minutes: int = 10
    network_ids: dict[str, str] = field(default_factory=dict)

    def network_id(self, network: str) -> str:
        """The station's id in a network; its own id where the network has no other."""
        return self.network_ids.get(network, self.id)


class Registry:
    """All stations, by id."""

    def __init__(self, stations: list[Station]):
        self._stations = {station.id: station for station in stations}

    @classmethod
    def load(cls, path: Path) -> "Registry":
        """Reads the JSON list that ``data/stations.json`` shows."""
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))
            return cls([Station(**entry) for entry in entries])
        except (json.JSONDecodeError, TypeError) as error:
            raise ConfigError(f"{path}: {error}") from error

    def get(self, station: str) -> Station:
        """Raises UnknownStation."""
        try:
            return self._stations[station]
        except KeyError:
            raise UnknownStation(station) from None

    def ids(self) -> list[str]:
        """Sorted."""
        return sorted(self._stations)

    def nearest(self, station: str, count: int = 1) -> list[tuple[Station, float]]:
        """The closest other stations with their distance in km, nearest first, ties by id."""
        origin = self.get(station)
        others = [other for other in self._stations.values() if other.id != station]
        ranked = sorted(((distance_km(origin, other), other.id) for other in others))
        return [(self._stations[id_], distance) for distance, id_ in ranked[:count]]


def distance_km(a: Station, b: Station) -> float:
    """Great-circle distance (haversine formula)."""
    lat_a, lat_b = math.radians(a.latitude), math.radians(b.latitude)
    half_lat = (lat_b - lat_a) / 2.0
    half_lon = math.radians(b.longitude - a.longitude) / 2.0
    chord = math.sin(half_lat) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(half_lon) ** 2
    return 2.0 * EARTH_RADIUS_KM * math.asin(math.sqrt(chord))


def sea_level_pressure(pressure: float, temperature: float, height: float) -> float:
    """Pressure reduced to sea level, hPa (hypsometric equation, 6.5 K/km lapse rate)."""
    kelvin = temperature + 273.15
    column = 0.0065 * height
    return pressure * (1.0 - column / (kelvin + column)) ** -5.257
