import type { Command } from 'commander';

/** What follows the list of commands: the options of serve, examples, exit codes. */
export function afterHelp(serve: Command): string {
  const help = serve.createHelp();
  const options = help.visibleOptions(serve);
  const width = Math.max(...options.map((option) => help.optionTerm(option).length));
  const lines = options.map((option) => `  ${help.optionTerm(option).padEnd(width)}  ${help.optionDescription(option)}`);
  return `
Options of serve, which is meant where no command is given:
${lines.join('\n')}

The configuration is put together of defaults, the file, variables of the environment (BULKHEAD_PORT, BULKHEAD_LIMITS__MAX_SESSION_COUNT)
and options, the later ones winning. SIGHUP reads it again; docs/configuration.md has every member.

Examples:
  bulkhead --port 0 --log-format json           any free port; one JSON line says which
  bulkhead check --config plant.json            0 if a server would start with it
  bulkhead serve --config plant.json --rate 50  at most 50 new connections a second
  bulkhead pki trust 3F2A                       trust the rejected certificate whose thumbprint begins so
  bulkhead top opc.tcp://localhost:4840         who is using the server, and what it costs

Exit codes: 0 done or stopped cleanly; 1 it failed, with a line on standard error; 2 wrong arguments.`;
}
