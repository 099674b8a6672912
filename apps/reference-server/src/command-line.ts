import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { afterHelp } from './command-help.ts';
import type { LimitFlags } from './configuration/limit-flags.ts';

/** What the command line says of a server; undefined where nothing was given, so that the configuration can stand. */
export interface ServerFlags extends LimitFlags {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly webPort?: number | undefined;
  readonly noWeb?: boolean | undefined;
  readonly pki?: string | undefined;
  readonly autoAccept?: boolean | undefined;
  readonly allowAnonymous?: boolean | undefined;
  readonly allowUnsecured?: boolean | undefined;
  readonly logFormat?: LogFormat | undefined;
  readonly logLevel?: LogLevelName | undefined;
  readonly benchTickMs?: number | undefined;
}

export type LogFormat = 'pretty' | 'json';
export type LogLevelName = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** What is to be printed instead of serving, in this order. */
export type Printout = 'config' | 'plan' | 'check';

/** What `top` shows, and how it gets there. */
export interface TopFlags {
  readonly url: string;
  readonly intervalMs: number;
  readonly once: boolean;
  readonly user: string | undefined;
  readonly passwordFile: string | undefined;
  readonly unsecured: boolean;
  readonly pki: string;
}

export type PkiAction = 'list' | 'trust' | 'reject' | 'renew';

/** A command and what was given with it. */
export type Invocation =
  | { readonly command: 'serve'; readonly flags: ServerFlags; readonly printouts: readonly Printout[] }
  | {
      readonly command: 'pki';
      readonly action: PkiAction;
      readonly flags: ServerFlags;
      /** Thumbprints, beginnings of them, or files. */
      readonly certificates: readonly string[];
      /** The certificates of users are meant, not those of applications. */
      readonly ofUsers: boolean;
    }
  | { readonly command: 'top'; readonly top: TopFlags }
  | { readonly command: 'hash-password'; readonly logCost: number | undefined }
  | { readonly command: 'schema' };

/** Where help and complaints go. */
export interface CommandLineOutput {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** No command is to be run: help was asked for, or an argument is wrong. Everything there is to say has been printed. */
export class CommandLineEnd extends Error {
  override readonly name = 'CommandLineEnd';
  /** 0 after help, 2 after a wrong argument. */
  readonly exitCode: 0 | 2;

  constructor(exitCode: 0 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const MAX_PORT = 65_535;
const MAX_TICK_MS = 3_600_000;
const MAX_AMOUNT = 999_999_999;

const standardOutput: CommandLineOutput = {
  writeOut: (text) => process.stdout.write(text),
  writeErr: (text) => process.stderr.write(text),
};

/** Why a limit of a server makes no sense with a command that starts none. */
const limitFlagNames = ['--rate', '--throttle', '--concurrent', '--timeout'] as const;
const withoutServer: Readonly<Record<string, string>> = {
  pki: 'it changes files and starts no server',
  top: 'it looks at a server that runs already; its limits are those that it was started with',
  'hash-password': 'it starts no server',
  schema: 'it starts no server',
};

/**
 * Reads the arguments.
 * @param args without the program's own path.
 * @throws CommandLineEnd
 */
export function parseCommandLine(args: readonly string[], output: CommandLineOutput = standardOutput): Invocation {
  refuseSenselessLimits(args, output);
  const invocation: { made: Invocation | undefined } = { made: undefined };
  const program = createProgram(output, (made) => {
    invocation.made = made;
  });
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new CommandLineEnd(error.exitCode === 0 ? 0 : 2, error.message);
    throw error;
  }
  if (invocation.made === undefined) throw new CommandLineEnd(2, 'no command');
  return invocation.made;
}

function refuseSenselessLimits([command = '', ...args]: readonly string[], { writeErr }: CommandLineOutput): void {
  const reason = Object.hasOwn(withoutServer, command) ? withoutServer[command] : undefined;
  const flag = limitFlagNames.find((name) => args.some((argument) => argument === name || argument.startsWith(`${name}=`)));
  if (reason === undefined || flag === undefined) return;
  const message = `error: option '${flag}' makes no sense for "${command}": ${reason}`;
  writeErr(`${message}\n(bulkhead ${command} --help lists the options)\n`);
  throw new CommandLineEnd(2, message);
}

type Chosen = (invocation: Invocation) => void;

function createProgram(output: CommandLineOutput, chosen: Chosen): Command {
  const program = new Command('bulkhead')
    .description('An OPC UA server with a demonstration address space: opc.tcp, WebSockets and HTTPS.')
    .configureOutput(output)
    .exitOverride()
    .showHelpAfterError('(--help lists the options)')
    .configureHelp({ sortSubcommands: false });
  const serve = serveCommand(program, chosen);
  printCommand(program, 'plan', 'print the limits that the configuration leads to, and how they are divided', chosen);
  printCommand(program, 'check', 'say whether a server would start with the configuration, without starting it', chosen);
  pkiCommand(program, chosen);
  topCommand(program, chosen);
  program
    .command('hash-password')
    .description('read a password from the terminal or standard input and print what "users" of the configuration file keep of it')
    .option('--cost <n>', 'each more takes twice the time and memory, 10 to 18 (default: 15)', integerIn(10, 18))
    .action((options: { readonly cost?: number }) => chosen({ command: 'hash-password', logCost: options.cost }));
  program
    .command('schema')
    .description('print the JSON Schema of the configuration file')
    .action(() => chosen({ command: 'schema' }));
  return program.addHelpText('after', () => afterHelp(serve));
}

function serveCommand(program: Command, chosen: Chosen): Command {
  const command = program.command('serve', { isDefault: true }).description('start the server and serve until a signal stops it');
  return addServerOptions(command)
    .option('--print-plan', 'print the limits and how they are divided, as "plan" does, and end')
    .option('--print-config', 'print the configuration that all sources together make, secrets masked, and end')
    .option('--check', 'say whether the server would start, as "check" does, and end')
    .action((options: Record<string, unknown>) => {
      const printouts = (['config', 'plan', 'check'] as const).filter((name) =>
        name === 'check' ? options['check'] === true : options[name === 'config' ? 'printConfig' : 'printPlan'] === true,
      );
      chosen({ command: 'serve', flags: flagsOf(command), printouts });
    });
}

function printCommand(program: Command, name: 'plan' | 'check', description: string, chosen: Chosen): void {
  const command = program.command(name).description(description);
  addServerOptions(command).action(() => chosen({ command: 'serve', flags: flagsOf(command), printouts: [name] }));
}

function addServerOptions(command: Command): Command {
  return command
    .option('--config <file>', 'JSON file with the same options and more; the command line wins')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1; 0.0.0.0 for every interface)', text)
    .option('--port <number>', 'TCP port, 0 for any free one (default: 4840)', integerIn(0, MAX_PORT))
    .option('--web-port <number>', 'port of opc.wss and opc.https, 0 for any free one (default: 3 above --port)', integerIn(0, MAX_PORT))
    .option('--no-web', 'serve opc.tcp only')
    .option('--pki <folder>', 'certificates: own, trusted, issuers, rejected (default: ./pki)', text)
    .option('--auto-accept', 'trust every client certificate; for laboratories only')
    .option('--no-anonymous', 'refuse anonymous users')
    .option('--no-unsecured', 'offer no endpoint without security')
    .option('--rate <n>', 'new connections per second, and HTTPS requests per second; 0: not limited', integerIn(0, MAX_AMOUNT))
    .option('--throttle <bytes>', 'bytes per second of each connection, each way; 0: not limited', integerIn(0, MAX_AMOUNT))
    .option('--concurrent <n>', 'connections at a time; 0: as many as without this and the file', integerIn(0, MAX_AMOUNT))
    .option(
      '--timeout <seconds>',
      'for a connection to open its channel, and for a web request to arrive; 0: the defaults',
      integerIn(0, MAX_AMOUNT),
    )
    .addOption(new Option('--log-format <format>', 'how to print (default: pretty)').choices(['pretty', 'json']))
    .addOption(
      new Option('--log-level <level>', 'least level to print (default: info)').choices(['debug', 'info', 'warn', 'error', 'silent']),
    )
    .option('--bench-tick <ms>', 'change all 1000 Bench.Double variables every so many milliseconds; 0: never', integerIn(0, MAX_TICK_MS));
}

function flagsOf(command: Command): ServerFlags {
  const options = command.opts();
  const given = <T>(name: string): T | undefined => (command.getOptionValueSource(name) === 'cli' ? (options[name] as T) : undefined);
  return {
    config: given('config'),
    host: given('host'),
    port: given('port'),
    webPort: given('webPort'),
    noWeb: given<boolean>('web') === false ? true : undefined,
    pki: given('pki'),
    autoAccept: given('autoAccept'),
    allowAnonymous: given('anonymous'),
    allowUnsecured: given('unsecured'),
    rate: given('rate'),
    throttle: given('throttle'),
    concurrent: given('concurrent'),
    timeout: given('timeout'),
    logFormat: given('logFormat'),
    logLevel: given('logLevel'),
    benchTickMs: given('benchTick'),
  };
}

function pkiCommand(program: Command, chosen: Chosen): void {
  const pki = program.command('pki').description('look at and change which certificates are trusted; a running server notices');
  const action = (name: PkiAction, argument: string | undefined, description: string): void => {
    const command = pki.command(name).description(description);
    if (argument !== undefined) command.argument(argument, 'thumbprint or the beginning of one, or a file');
    command
      .option('--pki <folder>', 'the folder (default: that of the configuration, else ./pki)', text)
      .option('--config <file>', 'configuration of the server');
    if (name !== 'renew') command.option('--users', 'certificates of users, not of applications');
    command.action(() =>
      chosen({
        command: 'pki',
        action: name,
        flags: { config: command.opts()['config'] as string | undefined, pki: command.opts()['pki'] as string | undefined },
        certificates: command.args,
        ofUsers: command.opts()['users'] === true,
      }),
    );
  };
  action('list', undefined, "the server's own certificate, and those that are trusted, of issuers, and rejected");
  action('trust', '<certificate...>', 'trust a rejected certificate, or one in a file');
  action('reject', '<certificate...>', 'trust a certificate no more');
  action('renew', undefined, "make a new key and certificate for the server, keep the old ones aside; it's used from the next start on");
}

function topCommand(program: Command, chosen: Chosen): void {
  program
    .command('top')
    .description('a live table of who uses a server and what it costs, read over OPC UA')
    .argument('[url]', 'of the server', 'opc.tcp://127.0.0.1:4840')
    .option('--interval <ms>', 'between two looks (default: 1000)', integerIn(100, MAX_TICK_MS))
    .option('--once', 'print the table once and end')
    .option('--user <name>', 'user to log in as (default: anonymous)', text)
    .option('--password-file <file>', 'where the password is; asked for on the terminal otherwise', text)
    .option('--unsecured', 'use an endpoint without security')
    .option('--pki <folder>', 'certificates of this client (default: ./pki-client)', text)
    .action((url: string, options: Record<string, unknown>) =>
      chosen({
        command: 'top',
        top: {
          url,
          intervalMs: (options['interval'] as number | undefined) ?? 1000,
          once: options['once'] === true,
          user: options['user'] as string | undefined,
          passwordFile: options['passwordFile'] as string | undefined,
          unsecured: options['unsecured'] === true,
          pki: (options['pki'] as string | undefined) ?? './pki-client',
        },
      }),
    );
}

function text(value: string): string {
  if (value === '') throw new InvalidArgumentError('it must not be empty.');
  return value;
}

function integerIn(min: number, max: number): (text: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d{1,9}$/u.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`an integer from ${min} to ${max} is wanted.`);
    }
    return number;
  };
}
