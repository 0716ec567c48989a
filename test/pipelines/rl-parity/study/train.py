"""A toy training of a few seconds that behaves like a large one: steps, step time, reward and loss, and a GPU that is too small."""

import json
import os
import subprocess
import sys
import time

arm, out = os.environ["ARM"], os.environ["OUT"]
config = json.loads(subprocess.run([sys.executable, os.environ["CONFIG"]], check=True, capture_output=True, text=True).stdout)
registered = subprocess.run([sys.executable, "-m", "envs"], check=True, capture_output=True, text=True).stdout.split()
environment = config.get("ENV_REMAP", {}).get("qa-v1", "qa-v1")
if environment not in registered:
    sys.exit(f"environment {environment} is not registered")
if config["TRAIN_BATCH_SIZE"] > 4 and arm == "treatment":
    sys.exit("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
os.makedirs(out, exist_ok=True)
with open(f"{out}/{arm}.json", "w") as file:
    json.dump(config, file)
with open(f"{out}/{arm}.jsonl", "w") as file:
    for step in range(1, int(os.environ["STEPS"]) + 1):
        took, reward, loss = 0.01 * config["TRAIN_BATCH_SIZE"], 0.1 * step, 1.0 / step
        time.sleep(took)
        print(f"step {step} step_time={took:.2f} reward={reward:.2f} loss={loss:.4f}", flush=True)
        file.write(json.dumps({"step": step, "step_time": took, "reward": reward, "loss": loss}) + "\n")
