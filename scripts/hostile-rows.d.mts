export interface Attack {
  /** What an agent does. */
  readonly attack: string;
  /** What comes of it where the config protects and bounds, without a sandbox. */
  readonly plain: string;
  /** The same with bubblewrap. */
  readonly fenced: string;
  /** The tests that do it for real: `FILE > DESCRIBE > TEST`. */
  readonly proof: readonly string[];
}

export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

export type JudgedAttack = Attack & { readonly wrong: readonly string[] };

export declare function withTable(page: string, attacks: readonly Attack[]): string;
export declare function filesOf(attacks: readonly Attack[]): readonly string[];
export declare function patternOf(attacks: readonly Attack[]): string;
export declare function judged(attacks: readonly Attack[], report: VitestReport, root: string): readonly JudgedAttack[];
export declare function shown(rows: readonly JudgedAttack[]): { readonly text: string; readonly failed: number };
