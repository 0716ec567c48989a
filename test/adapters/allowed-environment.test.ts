import { describe, expect, test } from 'vitest';
import { allowedEnvironment, passedVariables } from '../../src/adapters/process/allowed-environment.js';

describe('what every command gets', () => {
  test.each([
    ...['PATH', 'HOME', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_CACHE_HOME', 'https_proxy', 'NO_PROXY', 'SSL_CERT_FILE'],
    ...[
      'VIRTUAL_ENV',
      'PYTHONPATH',
      'CONDA_PREFIX',
      'CUDA_VISIBLE_DEVICES',
      'OMP_NUM_THREADS',
      'PYTORCH_CUDA_ALLOC_CONF',
    ],
    ...['SLURM_JOB_ID', 'MASTER_ADDR', 'TOKENIZERS_PARALLELISM', 'NCCL_IB_PKEY', 'GOPATH', 'TF_CPP_MIN_LOG_LEVEL'],
    ...['AUTORESEARCH_RUNNER', 'AUTORESEARCH_WARDEN'],
  ])('%s', (name) => expect(allowedEnvironment({ [name]: 'x' })).toEqual({ [name]: 'x' }));

  test.each([
    ...['ANTHROPIC_API_KEY', 'MY_SECRET', 'WANDB_PROJECT', 'SSH_AUTH_SOCK', 'DATABASE_URL', 'AWS_PROFILE', 'EDITOR'],
    // These begin like what is allowed.
    ...['NODE_AUTH_TOKEN', 'CARGO_REGISTRY_TOKEN', 'UV_INDEX_X_PASSWORD', 'npm_config__authToken', 'HF_HUB_TOKEN'],
    ...['SLURM_JWT', 'GOOGLE_CLOUD_PROJECT', 'TF_VAR_db', 'TF_TOKEN_x', 'PATHS', 'XPATH', 'AUTORESEARCH_TOKEN'],
    ...['GIT_CONFIG_VALUE_0', 'LD_PRELOAD', 'BASH_ENV'],
  ])('not %s', (name) => expect(allowedEnvironment({ [name]: 'x' })).toEqual({}));

  test('no address with a login in it, and nothing that is configured as a secret', () => {
    const env = { HTTP_PROXY: 'http://me:hunter2@proxy', HTTPS_PROXY: 'http://proxy', HF_HOME: '/x', UNSET: undefined };
    expect(allowedEnvironment(env, ['HF_*'])).toEqual({ HTTPS_PROXY: 'http://proxy' });
  });
});

describe('what passEnv adds', () => {
  const env = {
    WANDB_API_KEY: 'k',
    WANDB_MODE: '',
    WAND: 'no',
    A_B: '1',
    AXB: '2',
    PWD: '/',
    AUTORESEARCH_WARDEN: 'x,',
  };
  test('is what it names', () => {
    expect(passedVariables(env, ['WANDB_*', 'A_B', 'NOT_SET'])).toEqual({
      WANDB_API_KEY: 'k',
      WANDB_MODE: '',
      A_B: '1',
    });
    expect(passedVariables(env, undefined)).toEqual({});
  });

  test('but never what is only true for the runner itself', () => {
    expect(Object.keys(passedVariables(env, ['*']))).toEqual(['WANDB_API_KEY', 'WANDB_MODE', 'WAND', 'A_B', 'AXB']);
  });
});
