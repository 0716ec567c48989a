/**
 * Node's fetch gives up when an endpoint says nothing for five minutes, and a model may think for longer than that: how
 * long it may is for the step's own limit to say. Node has no public switch for it, but keeps the class that has one
 * under a registered symbol. Where it is not there, the five minutes stay, and end the step in words of their own.
 */
export function patientFetch(silenceMs = 0): typeof fetch {
  const dispatcher = dispatcherWith(silenceMs);
  if (dispatcher === undefined) return fetch;
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit);
}

type DispatcherClass = new (options: { readonly headersTimeout: number; readonly bodyTimeout: number }) => object;

function dispatcherWith(silenceMs: number): object | undefined {
  // Node sets the symbol when it first loads what fetch is made of.
  new Headers();
  const current = (globalThis as { [key: symbol]: unknown })[Symbol.for('undici.globalDispatcher.1')];
  const Dispatcher = (current as { constructor?: DispatcherClass } | undefined)?.constructor;
  // Something that the user put there, such as a proxy, has its own options and stays.
  if (Dispatcher?.name !== 'Agent') return undefined;
  return new Dispatcher({ headersTimeout: silenceMs, bodyTimeout: silenceMs });
}
