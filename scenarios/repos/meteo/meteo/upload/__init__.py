"""Upload to observation networks; the rules stand in ``docs/upload.md``."""
