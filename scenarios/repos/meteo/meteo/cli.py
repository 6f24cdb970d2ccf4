"""Command line. Data goes to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date, timedelta
from pathlib import Path

from meteo import aggregate, alerts, climate, formats, gaps, interpolate, rainfall, wind
from meteo.config import loader
from meteo.errors import MeteoError
from meteo.model import Series
from meteo.qc.pipeline import availability, control_station
from meteo.report import csvout, markdown, rows, text
from meteo.stations import Registry, Station
from meteo.storage import Store
from meteo.upload.credentials import available
from meteo.upload.networks import network, network_ids
from meteo.upload.request import build


def main(arguments: list[str]) -> int:
    """Runs one command and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except MeteoError as error:
        print(f"meteo: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"meteo: {error}", file=sys.stderr)
        return 74


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="meteo", description="Toolkit for the data of small weather stations.")
    parser.add_argument("--stations", type=Path, default=Path("data/stations.json"))
    parser.add_argument("--settings", type=Path, default=None)
    commands = parser.add_subparsers(required=True)
    for name, run in (("import", _import), ("daily", _daily), ("alerts", _alerts), ("report", _report)):
        command = commands.add_parser(name)
        command.add_argument("file", type=Path)
        command.add_argument("--station", required=True)
        command.set_defaults(run=run)
        if name == "report":
            command.add_argument("--format", choices=("text", "csv"), default="text")
    month = commands.add_parser("month")
    month.add_argument("file", type=Path)
    month.add_argument("--station", required=True)
    month.set_defaults(run=_month)
    store = commands.add_parser("store")
    store.add_argument("file", type=Path)
    store.add_argument("--station", required=True)
    store.add_argument("--folder", type=Path, required=True)
    store.set_defaults(run=_store)
    clean = commands.add_parser("clean")
    clean.add_argument("--folder", type=Path, required=True)
    clean.add_argument("--today", type=date.fromisoformat, required=True)
    clean.set_defaults(run=_clean)
    upload = commands.add_parser("upload")
    upload.add_argument("file", type=Path)
    upload.add_argument("--station", required=True)
    upload.add_argument("--network", required=True, choices=network_ids())
    upload.add_argument("--dry-run", action="store_true", help="show the request, send nothing")
    upload.set_defaults(run=_upload)
    commands.add_parser("networks").set_defaults(run=_networks)
    return parser


def _load(options: argparse.Namespace) -> tuple[Station, dict[str, Series], list]:
    station = Registry.load(options.stations).get(options.station)
    settings = loader.load(options.settings)
    series, findings = control_station(formats.read_file(options.file, station.id), settings.step_limits)
    return station, series, findings


def _import(options: argparse.Namespace) -> int:
    station, series, findings = _load(options)
    interval = timedelta(minutes=station.interval_minutes)
    for parameter in sorted(series):
        print(f"{parameter}: {len(series[parameter])} readings, {availability(series[parameter]):.0%} usable")
        print(f"  {gaps.longest_outage_line(series[parameter], interval)}")
    print(text.finding_list(findings), end="", file=sys.stderr)
    return 0


def _bins(options: argparse.Namespace, width: timedelta) -> dict[str, list[aggregate.Bin]]:
    settings = loader.load(options.settings)
    station, series, _ = _load(options)
    interval = timedelta(minutes=station.interval_minutes)
    return {
        parameter: aggregate.aggregate(
            interpolate.fill(gaps.with_missing(one, interval), settings.fill_up_to),
            width,
            interval,
            settings.needed_share,
            settings.accept_suspect,
        )
        for parameter, one in series.items()
    }


def _daily(options: argparse.Namespace) -> int:
    print(text.table(rows(_bins(options, timedelta(days=1)))), end="")
    return 0


def _report(options: argparse.Namespace) -> int:
    table = rows(_bins(options, timedelta(hours=1)))
    print(csvout.render(table) if options.format == "csv" else text.table(table), end="")
    return 0


def _alerts(options: argparse.Namespace) -> int:
    settings = loader.load(options.settings)
    _, series, _ = _load(options)
    rules = [rule for rule in settings.rules if rule.parameter in series]
    raised = [alert for rule in rules for alert in alerts.evaluate(rule, series[rule.parameter])]
    print(text.alert_list(raised), end="")
    return 0


def _month(options: argparse.Namespace) -> int:
    station, series, _ = _load(options)
    interval = timedelta(minutes=station.interval_minutes)
    days = climate.temperature_days(series["temperature"], interval) if "temperature" in series else []
    page = markdown.Month(
        station=station.name,
        title=_period(days),
        days=days,
        summary=climate.summarise(days),
        rain=rainfall.events(series["rain"], interval) if "rain" in series else [],
        rose=wind.rose(series["wind_direction"]) if "wind_direction" in series else {},
    )
    print(markdown.render(page), end="")
    return 0


def _period(days: list[climate.Day]) -> str:
    return f"{days[0].day} to {days[-1].day}" if days else "no temperatures"


def _store(options: argparse.Namespace) -> int:
    station, series, _ = _load(options)
    for name in Store(options.folder).write(station.id, series):
        print(name)
    return 0


def _clean(options: argparse.Namespace) -> int:
    settings = loader.load(options.settings)
    for name in Store(options.folder).clean(settings.retention, options.today):
        print(f"deleted {name}")
    return 0


def _upload(options: argparse.Namespace) -> int:
    station, series, _ = _load(options)
    request = build(network(options.network), station, series, os.environ)
    if not options.dry_run:
        print("meteo: sending is done by the queue service; use --dry-run here", file=sys.stderr)
        return 64
    print(request.describe())
    return 0


def _networks(options: argparse.Namespace) -> int:
    for name, has_key in available(network_ids(), os.environ).items():
        print(f"{name}: {'key found' if has_key else 'no key'}")
    return 0
