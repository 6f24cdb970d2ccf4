"""The networks that meteo knows: endpoints, formats, and how each wants its key."""

from __future__ import annotations

from dataclasses import dataclass

from meteo.errors import UploadError


@dataclass(frozen=True)
class Network:
    """How to talk to one observation network.

    ``auth`` says where the key goes: ``query`` (a query field), ``bearer`` (the Authorization header) or ``header`` (a
    header of the network's own). ``auth_name`` is the field's or header's name and empty for ``bearer``.
    """

    id: str
    endpoint: str
    body: str
    auth: str
    auth_name: str = ""
    parameters: tuple[str, ...] = ()
    imperial: bool = False


_NETWORKS = (
    Network(
        id="wow",
        endpoint="https://wow.example/automaticreading",
        body="form",
        auth="query",
        auth_name="siteAuthenticationKey",
        parameters=("temperature", "dew_point", "pressure", "wind_speed", "wind_direction", "rain"),
        imperial=True,
    ),
    Network(
        id="openmet",
        endpoint="https://api.openmet.example/v2/observations",
        body="json",
        auth="bearer",
        parameters=("temperature", "pressure", "humidity", "wind_speed", "wind_direction"),
    ),
    Network(
        id="coastwatch",
        endpoint="https://ingest.coastwatch.example/stations",
        body="json",
        auth="header",
        auth_name="X-Station-Key",
        parameters=("temperature", "pressure", "wind_speed", "gust", "wind_direction"),
    ),
)


def network(id_: str) -> Network:
    """The network with this id. Raises UploadError and names those there are."""
    for known in _NETWORKS:
        if known.id == id_:
            return known
    names = ", ".join(known.id for known in _NETWORKS)
    raise UploadError(f"unknown network {id_!r}: one of {names}")


def network_ids() -> list[str]:
    """Sorted."""
    return sorted(known.id for known in _NETWORKS)
