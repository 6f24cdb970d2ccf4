"""What is sent: the latest hour of a station, in the units and names of the network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode

from meteo.aggregate import Bin, hourly
from meteo.errors import UploadError
from meteo.model import Series
from meteo.stations import Station
from meteo.timeutil import format_time
from meteo.upload.networks import Network

_FORM_NAMES = {
    "temperature": "tempf",
    "dew_point": "dewptf",
    "pressure": "baromin",
    "wind_speed": "windspeedmph",
    "wind_direction": "winddir",
    "rain": "rainin",
}


def latest_hour(all_series: Mapping[str, Series], network: Network, station: Station) -> dict[str, Bin]:
    """The last complete hour of every parameter that the network takes and the station has.

    Raises UploadError when there is nothing to send.
    """
    interval = timedelta(minutes=station.interval_minutes)
    found = {}
    for parameter in network.parameters:
        if parameter not in all_series:
            continue
        bins = [bin_ for bin_ in hourly(all_series[parameter], interval) if bin_.value is not None]
        if bins:
            found[parameter] = bins[-1]
    if not found:
        raise UploadError(f"{station.id}: no complete hour to send to {network.id}")
    newest = max(bin_.start for bin_ in found.values())
    return {parameter: bin_ for parameter, bin_ in found.items() if bin_.start == newest}


def encode(values: Mapping[str, Bin], network: Network, station: Station) -> tuple[str, str]:
    """(content type, body)."""
    when = format_time(next(iter(values.values())).start)
    identity = station.network_id(network.id)
    if network.body == "json":
        document = {
            "station": identity,
            "time": when,
            "values": {parameter: round(bin_.value, 2) for parameter, bin_ in sorted(values.items())},
        }
        return "application/json", json.dumps(document, sort_keys=True)
    fields = {"siteid": identity, "dateutc": when}
    for parameter, bin_ in sorted(values.items()):
        value = _imperial(parameter, bin_.value) if network.imperial else bin_.value
        fields[_FORM_NAMES[parameter]] = f"{value:.2f}"
    return "application/x-www-form-urlencoded", urlencode(fields)


def _imperial(parameter: str, value: float) -> float:
    if parameter in ("temperature", "dew_point"):
        return value * 9.0 / 5.0 + 32.0
    if parameter == "pressure":
        return value / 33.8638866667
    if parameter == "wind_speed":
        return value / 0.44704
    if parameter == "rain":
        return value / 25.4
    return value
