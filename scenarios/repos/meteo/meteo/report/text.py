"""Plain tables for the terminal."""

from __future__ import annotations

from meteo.alerts import Alert
from meteo.qc.pipeline import Finding
from meteo.report import Row
from meteo.units import format_value
from meteo.wind import sector


def table(rows: list[Row]) -> str:
    """Columns aligned to the right, two blanks between them; the time stays left."""
    if not rows:
        return "no data\n"
    parameters = list(rows[0].values)
    cells = [["time", *parameters]]
    for row in rows:
        cells.append([row.time, *(_cell(parameter, row.values[parameter]) for parameter in parameters)])
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for line in cells:
        first = line[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        lines.append("  ".join([first, *rest]).rstrip())
    return "\n".join(lines) + "\n"


def _cell(parameter: str, value: float | None) -> str:
    text = format_value(parameter, value)
    if parameter == "wind_direction" and value is not None:
        return f"{text} {sector(value)}"
    return text


def alert_list(alerts: list[Alert]) -> str:
    """One alert a line."""
    if not alerts:
        return "no alerts\n"
    return "".join(f"{alert}\n" for alert in alerts)


def finding_list(findings: list[Finding]) -> str:
    """What quality control found, one check a line."""
    if not findings:
        return "quality control: nothing found\n"
    return "".join(
        f"quality control: {finding.parameter}: {finding.check}: {finding.worsened} readings\n" for finding in findings
    )
