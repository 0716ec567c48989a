import { secretMatcher } from '../../model/secrets/secrets.js';
import { nameMatcher } from '../../model/variable-globs.js';
import { type Environment, inheritedEnvironment, markerName } from '../command/environment.js';

/**
 * What every command gets of the runner's environment: what is harmless and often needed, never what looks like a secret
 * or is configured as one. Anything else has to be named (`passEnv`).
 */
export function allowedEnvironment(env: Environment, secrets: readonly string[] = []): Record<string, string> {
  const isSecret = secretMatcher(secrets);
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isHarmless(name) || (name !== markerName && isSecret(name, value))) continue;
    allowed[name] = value;
  }
  return allowed;
}

/** What `passEnv` adds to that: all that the patterns name, secret or not. What a shell notes about itself is left out. */
export function passedVariables(env: Environment, passEnv: readonly string[] | undefined): Record<string, string> {
  if (passEnv === undefined || passEnv.length === 0) return {};
  const isNamed = nameMatcher(passEnv);
  return inheritedEnvironment(Object.fromEntries(Object.entries(env).filter(([name]) => isNamed(name))));
}

const people = 'PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR*';
const places = 'TMPDIR TMP TEMP HOSTNAME DISPLAY WAYLAND_DISPLAY XDG_* CI SOURCE_DATE_EPOCH';
const network =
  'HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy ftp_proxy all_proxy no_proxy SSL_CERT_* REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NIX_SSL_CERT_FILE';
const compilers =
  'CC CXX FC CFLAGS CXXFLAGS CPPFLAGS FFLAGS LDFLAGS MAKEFLAGS CMAKE_* LD_LIBRARY_PATH DYLD_* LIBRARY_PATH CPATH PKG_CONFIG_PATH MODULEPATH MODULESHOME LOADEDMODULES LMOD_* LOCALE_ARCHIVE NIX_PATH';
const languages =
  'PYTHON* VIRTUAL_ENV CONDA_* MAMBA_* PYENV_* UV_* PIP_* POETRY_* NODE_* NVM_* npm_config_* NPM_CONFIG_* JAVA_HOME CARGO_* RUSTUP_* RUSTFLAGS R_* JULIA_* PERL5LIB';
/** Not GO*, which would be GOOGLE_… too. */
const go =
  'GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE GOTOOLCHAIN GOOS GOARCH GOMAXPROCS GOMEMLIMIT GOGC GO111MODULE';
const devices =
  'CUDA_* CUDNN_* CUBLAS_* NVIDIA_* NCCL_* UCX_* GLOO_* ROCR_* ROCM_* HIP_* HSA_* OMP_* GOMP_* KMP_* MKL_* OPENBLAS_* BLIS_* VECLIB_* NUMEXPR_* NUMBA_* RAYON_* TRITON_*';
/** Not TF_*, which is Terraform's too: TF_VAR_… holds anything. */
const learning =
  'TORCH_* TORCHINDUCTOR_* PYTORCH_* XLA_* JAX_* TF_CPP_* TF_FORCE_* TF_ENABLE_* TF_XLA_* TF_GPU_* TF_NUM_* TF_USE_* TF_CUDNN_* TF_DETERMINISTIC_OPS TF_CONFIG HF_HOME HF_HUB_* HF_DATASETS_* TRANSFORMERS_* TOKENIZERS_* MPLBACKEND MPLCONFIGDIR';
const clusters =
  'SLURM_* SLURMD_* PBS_* LSB_* SGE_* OMPI_* PMI_* PMIX_* I_MPI_* WORLD_SIZE RANK LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK NODE_RANK MASTER_*';

/** `AUTORESEARCH_*`: a runner inside a command has to be known to the one outside. */
const isHarmless = nameMatcher(
  [people, places, network, compilers, languages, go, devices, learning, clusters, 'AUTORESEARCH_*']
    .join(' ')
    .split(' '),
);
