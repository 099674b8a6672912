import { parseArgs } from 'node:util';

export interface Options {
  /** Parts of scenario names; all scenarios when empty. */
  readonly only: readonly string[];
  readonly servers: readonly string[] | undefined;
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly runs: number;
  readonly together: boolean;
  readonly jsonFile: string | undefined;
  readonly foreign: { readonly url: string; readonly pid: number | undefined; readonly nodePrefix: string | undefined } | undefined;
  /** Costs of single operations, and of the modes of isolation. */
  readonly micro: boolean;
  /** Cost of connections that are refused, beside those that are accepted. */
  readonly refusals: boolean;
  /** Managed sessions that connect at once; undefined unless that is wanted. */
  readonly stormSessions: number | undefined;
  /** A polite client beside abuses of the server. */
  readonly isolation: boolean;
  readonly wantsHelp: boolean;
  readonly wantsList: boolean;
}

export const HELP: string = `Measures Bulkhead's reference server and others by turns. Prints a markdown table.

  --only TEXT[,TEXT]     only scenarios whose name contains one of the texts (--list names them)
  --servers NAME[,NAME]  bulkhead, node-opcua, floor                                    (all of them)
  --seconds S            measured time of each run                                      (5)
  --warmup S             time before it                                                 (2)
  --runs N               runs of each scenario and server, by turns; the table has the medians  (3)
  --together             server and generator share one core: steadier figures at depth 1 (needs taskset)
  --json FILE            also writes every run to FILE
  --url URL --pid PID    measures a server that runs already, alone or with --servers other,…
  --node-prefix ID       its Doubles are ID0 … ID999                                    (ns=2;s=Bench.Double.)
  --micro                what admission costs by itself, and a server in mode Balanced beside SharedOnly; --runs are pairs
  --refusals             what a refused connection costs the server, beside accepted ones
  --client-storm         many managed sessions connect at once, and come back at once, beside a subscriber
  --sessions N           how many                                                       (1000)
  --isolation            a polite client's latency alone and beside each way to abuse a server; --only names abuses, --seconds is
                         the time of each (10); with --url against a server that runs already, but for abuses that need methods of ours
  --list, --help

CPU time and RSS are read from /proc: Linux only, elsewhere their columns are empty.`;

/** @throws Error that says which option is wrong. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      servers: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string', default: '2' },
      runs: { type: 'string', default: '3' },
      together: { type: 'boolean', default: false },
      json: { type: 'string' },
      url: { type: 'string' },
      pid: { type: 'string' },
      'node-prefix': { type: 'string' },
      micro: { type: 'boolean', default: false },
      refusals: { type: 'boolean', default: false },
      'client-storm': { type: 'boolean', default: false },
      sessions: { type: 'string', default: '1000' },
      isolation: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const pid = values.pid === undefined ? undefined : positive('--pid', values.pid);
  return {
    only: splitList(values.only) ?? [],
    servers: splitList(values.servers),
    seconds: positive('--seconds', values.seconds ?? (values.isolation ? '10' : '5')),
    warmupSeconds: positive('--warmup', values.warmup),
    runs: Math.ceil(positive('--runs', values.runs)),
    together: values.together,
    jsonFile: values.json,
    foreign: values.url === undefined ? undefined : { url: values.url, pid, nodePrefix: values['node-prefix'] },
    micro: values.micro,
    refusals: values.refusals,
    stormSessions: values['client-storm'] ? Math.ceil(positive('--sessions', values.sessions)) : undefined,
    isolation: values.isolation,
    wantsHelp: values.help,
    wantsList: values.list,
  };
}

function splitList(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`${name}: a number above 0 is wanted, not '${text}'`);
  return value;
}
