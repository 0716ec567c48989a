/**
 * Loads a Python or TOML file in an interpreter of its own and prints what it holds as one line of JSON. What the file
 * itself prints goes to the error log. Only names that are asked for are printed. Mistakes of the file are part of the answer; any other exit than 0 is a broken
 * interpreter. The hook cannot be taken off again by the code that is loaded.
 */
export const pythonScript = String.raw`
import argparse, contextlib, dataclasses, datetime, enum, fnmatch, io, json, os, pathlib, signal, site, sys, traceback, types

def main(path, form, call, wanted):
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(60)
    try:
        answer = {'values': asked_for(plain(asked_for(load(path, form, call), json.loads(wanted)), 0), json.loads(wanted))}
    except Refused as error:
        answer = {'error': str(error)}
    except BaseException as error:
        traceback.print_exc()
        answer = {'error': told(error, path)}
    signal.alarm(0)
    out.write(json.dumps(answer, allow_nan=False) + '\n')
    out.flush()
    # Threads and exit handlers of the file have no say in how this ends.
    os._exit(0)

# The answer ends up in a log, so what nobody asked about stays out of it.
def asked_for(values, wanted):
    if not isinstance(values, dict):
        return values
    return {k: v for k, v in values.items() if any(fnmatch.fnmatchcase(str(k), w) for w in wanted)}

class Refused(Exception):
    pass

def too_long(*_):
    raise Refused('it takes longer than a minute to load')

def told(error, path):
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [error.lineno]
    text = type(error).__name__ + (': ' + str(error) if str(error) else '')
    return 'line %d: %s' % (lines[-1], text) if lines else text

def load(path, form, call):
    if form == 'toml':
        try:
            import tomllib
        except ImportError:
            raise Refused('TOML needs Python 3.11 or newer, and this is ' + sys.version.split()[0])
        with open(path, 'rb') as file:
            return tomllib.load(file)
    forbid_network()
    here = os.path.dirname(os.path.abspath(path))
    more = [p for p in os.environ.get('PYTHONPATH', '').split(os.pathsep) if p]
    sys.path[:0] = [here, os.getcwd(), *more]
    sys.path.append(site.getusersitepackages())
    sys.argv = [path]
    with open(path, 'rb') as file:
        code = compile(file.read(), path, 'exec')
    loaded = types.ModuleType('__config__')
    loaded.__file__ = path
    sys.modules['__config__'] = loaded
    names = vars(loaded)
    exec(code, names)
    if not call:
        return module(names)
    if call not in names:
        raise Refused('it has no function ' + call)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        given = names[call]()
    if given is not None:
        return given
    try:
        return json.loads(printed.getvalue(), object_pairs_hook=once)
    except ValueError as error:
        raise Refused('%s() neither returns values nor prints JSON: %s' % (call, error))

def forbid_network():
    def hook(event, args):
        if event in ('socket.connect', 'socket.bind', 'socket.sendto', 'socket.sendmsg', 'socket.getaddrinfo', 'socket.gethostbyname'):
            raise PermissionError('a config must not use the network (%s)' % event)
    sys.addaudithook(hook)

def once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError('a key is written twice')
    return found

def module(names):
    return {k: v for k, v in names.items() if not k.startswith('_') and is_value(v)}

def is_value(value):
    if isinstance(value, type):
        # What a file imports from elsewhere is no setting, unless it is a set of them.
        return not issubclass(value, enum.Enum) and (value.__module__ == '__config__' or dataclasses.is_dataclass(value))
    if isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType)):
        return False
    return type(value).__module__ not in ('typing', '__future__')

def plain(value, depth):
    if depth > 60:
        raise Refused('its values are nested too deep')
    inner = lambda v: plain(v, depth + 1)
    if isinstance(value, enum.Enum):
        return inner(value.value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= 2 ** 53 - 1 else {'$int': str(int(value))}
    if isinstance(value, float):
        value = float(value)
        return value if abs(value) < float('inf') else {'$float': str(value)}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (pathlib.PurePath, datetime.date, datetime.time)):
        return str(value)
    if isinstance(value, dict):
        return mapping(value.items(), inner)
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        return [inner(item) for item in value]
    if hasattr(value, '_asdict') and not isinstance(value, type):
        return mapping(value._asdict().items(), inner)
    if dataclasses.is_dataclass(value):
        return mapping(fields(made(value)), inner)
    for method in ('model_dump', 'to_dict', 'item', 'tolist'):
        # numpy scalars, tensors, pydantic models, transformers' and ml_collections' configs
        if callable(getattr(value, method, None)) and not isinstance(value, type):
            try:
                got = getattr(value, method)()
            except Exception:
                continue
            if type(got) is not type(value):
                return inner(got)
    if isinstance(value, (argparse.Namespace, types.SimpleNamespace)):
        return mapping(vars(value).items(), inner)
    if isinstance(value, type):
        return mapping(attributes(value), inner)
    if type(value).__module__ == '__config__' and hasattr(value, '__dict__'):
        return mapping({**dict(attributes(type(value))), **vars(value)}.items(), inner)
    if isinstance(value, Unset):
        return {'$other': 'field without a default'}
    return {'$other': type(value).__module__ + '.' + type(value).__qualname__}

# What a program gets that fills in nothing: __post_init__ may work out some fields from others.
def made(value):
    if not isinstance(value, type):
        return value
    try:
        return value()
    except Exception:
        return value

def fields(value):
    for field in dataclasses.fields(value):
        if not isinstance(value, type):
            yield field.name, getattr(value, field.name)
        elif field.default is not dataclasses.MISSING:
            yield field.name, field.default
        elif field.default_factory is not dataclasses.MISSING:
            yield field.name, field.default_factory()
        else:
            yield field.name, Unset()

# A field that everybody has to fill in has no value yet, and what has none is equal to nothing.
class Unset:
    pass

def attributes(kind):
    found = {}
    for base in reversed(kind.__mro__[:-1]):
        found.update(vars(base))
    skip = (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod, property, types.MemberDescriptorType, types.GetSetDescriptorType)
    return [(k, v) for k, v in found.items() if not k.startswith('_') and not isinstance(v, skip)]

def mapping(pairs, inner):
    found = {}
    for key, value in pairs:
        name = str(key)
        name = '$' + name if name.startswith('$') else name
        if name in found:
            raise Refused('two of its keys are called ' + name)
        found[name] = inner(value)
    return found

main(*sys.argv[1:])
`;
