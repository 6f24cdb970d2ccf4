"""Quality control; the rules stand in ``docs/quality-control.md``."""
