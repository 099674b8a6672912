import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** What the command line gave; undefined where nothing was given, so that the configuration file's values can stand. */
export interface CommandLine {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly webPort: number | undefined;
  readonly noWeb: boolean | undefined;
  readonly pki: string | undefined;
  readonly autoAccept: boolean | undefined;
  readonly allowAnonymous: boolean | undefined;
  readonly allowUnsecured: boolean | undefined;
  readonly logFormat: LogFormat | undefined;
  readonly logLevel: LogLevelName | undefined;
  readonly benchTickMs: number | undefined;
  readonly printPlan: boolean | undefined;
}

export type LogFormat = 'pretty' | 'json';
export type LogLevelName = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where help and complaints go. */
export interface CommandLineOutput {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** No server is wanted: help was asked for, or an argument is wrong. Everything there is to say has been printed. */
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

const standardOutput: CommandLineOutput = {
  writeOut: (text) => process.stdout.write(text),
  writeErr: (text) => process.stderr.write(text),
};

/**
 * Reads the arguments.
 * @param args without the program's own path.
 * @throws CommandLineEnd
 */
export function parseCommandLine(args: readonly string[], output: CommandLineOutput = standardOutput): CommandLine {
  const command = createCommand(output);
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new CommandLineEnd(error.exitCode === 0 ? 0 : 2, error.message);
    throw error;
  }
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
    logFormat: given('logFormat'),
    logLevel: given('logLevel'),
    benchTickMs: given('benchTick'),
    printPlan: given('printPlan'),
  };
}

function createCommand(output: CommandLineOutput): Command {
  return new Command('bulkhead')
    .description('Bulkhead reference server: OPC UA over opc.tcp, WebSockets and HTTPS with a demonstration address space.')
    .option('--config <file>', 'JSON file with the same options and more; the command line wins')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1; 0.0.0.0 for every interface)', text)
    .option('--port <number>', 'TCP port, 0 for any free one (default: 4840)', integerUpTo(MAX_PORT))
    .option('--web-port <number>', 'port of opc.wss and opc.https, 0 for any free one (default: 3 above --port)', integerUpTo(MAX_PORT))
    .option('--no-web', 'serve opc.tcp only')
    .option('--pki <folder>', 'certificates: own, trusted, issuers, rejected (default: ./pki)', text)
    .option('--auto-accept', 'trust every client certificate; for laboratories only')
    .option('--no-anonymous', 'refuse anonymous users')
    .option('--no-unsecured', 'offer no endpoint without security')
    .addOption(new Option('--log-format <format>', 'how to print (default: pretty)').choices(['pretty', 'json']))
    .addOption(
      new Option('--log-level <level>', 'least level to print (default: info)').choices(['debug', 'info', 'warn', 'error', 'silent']),
    )
    .option('--bench-tick <ms>', 'change all 1000 Bench.Double variables every so many milliseconds; 0: never', integerUpTo(MAX_TICK_MS))
    .option('--print-plan', 'print the limits that the configuration leads to, and how they are divided, and end')
    .showHelpAfterError('(--help lists the options)')
    .configureOutput(output)
    .exitOverride();
}

function text(value: string): string {
  if (value === '') throw new InvalidArgumentError('it must not be empty.');
  return value;
}

function integerUpTo(max: number): (text: string) => number {
  return (value) => {
    if (!/^\d{1,9}$/u.test(value) || Number(value) > max) throw new InvalidArgumentError(`an integer from 0 to ${max} is wanted.`);
    return Number(value);
  };
}
