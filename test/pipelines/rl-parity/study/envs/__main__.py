from envs import REGISTRY

print("\n".join(sorted(REGISTRY)))
