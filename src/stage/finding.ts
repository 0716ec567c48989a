/** What was found about one thing that has to be true. */
export interface Finding {
  readonly kind: 'truth' | 'command' | 'artifact' | 'link' | 'commit';
  readonly what: string;
  readonly holds: boolean;
  /** What was seen, or what is missing. */
  readonly detail: string;
}

export const holds = (kind: Finding['kind'], what: string, detail: string): Finding => ({
  kind,
  what,
  holds: true,
  detail,
});

export const gap = (kind: Finding['kind'], what: string, detail: string): Finding => ({
  kind,
  what,
  holds: false,
  detail,
});
