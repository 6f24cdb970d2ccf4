"""Settings: ``loader`` reads the file, ``upload`` holds the upload's defaults."""
