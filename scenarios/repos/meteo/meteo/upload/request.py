"""Builds the request for a network and reads its answer; sending is the queue's business."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from meteo import __version__
from meteo.model import Series
from meteo.stations import Station
from meteo.upload.credentials import key_for, masked
from meteo.upload.networks import Network
from meteo.upload.payload import encode, latest_hour

SENSITIVE = frozenset({"authorization", "siteauthenticationkey"})
"""Headers and query fields whose values never leave this process except in the request itself."""

LONGEST_REASON = 120


@dataclass(frozen=True)
class Request:
    """A request that is ready to be sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str = field(repr=False)

    def describe(self) -> str:
        """One line for the log; keys are masked."""
        parts = urlsplit(self.url)
        query = masked(dict(parse_qsl(parts.query)), SENSITIVE)
        address = urlunsplit(parts._replace(query=urlencode(query, safe="*")))
        headers = masked(self.headers, SENSITIVE)
        shown = "; ".join(f"{name}: {headers[name]}" for name in sorted(headers))
        return f"{self.method} {address} ({shown}; {len(self.body)} characters)"


def build(
    network: Network, station: Station, all_series: Mapping[str, Series], environment: Mapping[str, str]
) -> Request:
    """The request that sends the station's latest hour.

    Raises UploadError when there is nothing to send and MissingKey when the environment has no key.
    """
    values = latest_hour(all_series, network, station)
    content_type, body = encode(values, network, station)
    headers = {"Content-Type": content_type, "User-Agent": f"meteo/{__version__}"}
    query: dict[str, str] = {}
    _authorise(network, headers, query, environment)
    return Request("POST", _address(network.endpoint, query), headers, body)


def _authorise(
    network: Network, headers: dict[str, str], query: dict[str, str], environment: Mapping[str, str]
) -> None:
    """Puts the network's key where the network wants it."""
    if network.auth == "query":
        query[network.auth_name] = key_for(network.id, environment)
    elif network.auth == "bearer":
        headers["Authorization"] = f"Bearer {key_for(network.id, environment)}"


@dataclass(frozen=True)
class Answer:
    """What a network said to a request."""

    accepted: bool
    retry: bool
    reason: str


def read_answer(network: Network, status: int, body: str) -> Answer:
    """Judges status and body; some networks answer 200 and put the refusal into the body.

    The reason is cut to one line of at most ``LONGEST_REASON`` characters: bodies of proxies are whole pages.
    """
    reason = _reason(body) or f"status {status}"
    if not 200 <= status < 300:
        return Answer(False, status == 429 or status >= 500, reason)
    if network.body == "form" and body.strip().lower() not in ("", "success", "{}"):
        return Answer(False, False, reason)
    return Answer(True, False, "")


def _reason(body: str) -> str:
    """The ``error`` or ``message`` of a JSON body, else the body's first line."""
    try:
        document = json.loads(body)
    except json.JSONDecodeError:
        document = None
    if isinstance(document, dict):
        text = str(document.get("error") or document.get("message") or "")
    else:
        text = body.strip().partition("\n")[0]
    return text[:LONGEST_REASON]


def _address(endpoint: str, query: Mapping[str, str]) -> str:
    """The endpoint with query fields added, sorted by name."""
    if not query:
        return endpoint
    parts = urlsplit(endpoint)
    fields = sorted([*parse_qsl(parts.query), *query.items()])
    return urlunsplit(parts._replace(query=urlencode(fields)))
