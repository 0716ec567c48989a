"""What both arms share. The baseline takes it as it is."""

import os

TRAIN_BATCH_SIZE = int(os.environ.get("TRAIN_BATCH_SIZE", "8"))
EVAL_BATCH_SIZE = 16
TOTAL_TRAIN_STEPS = 200
MAX_SEQUENCE_LENGTH = 2048
LEARNING_RATE = 3e-5
KL_BETA = 0.01
GENERATIONS_PER_PROMPT = 4
SEED = 17
EXPORT_EVERY_STEPS = 50
HARD_UPDATE_REF_EVERY_STEPS = 25
n_gradient_accumulation_steps = 2
CKPT_PATH = "checkpoints/base-8b"
loss_variation = "grpo"
lora = {"rank": 16, "alpha": 32, "targets": ["q_proj", "v_proj"]}
TRAIN_GPUS = 4
ACTOR_GPUS = 4
actors_queue_batches = 16
PATCHES = {"tokenizer": "fast", "rollout": "batched"}


def as_json(names):
    import json

    print(json.dumps({key: value for key, value in names.items() if not key.startswith("_") and isinstance(value, (str, int, float, dict, list))}))
