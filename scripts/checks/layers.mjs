import { posix } from 'node:path';

/**
 * Compares the workspace with layers.json: manifests, project references and import statements may only point where the table
 * allows, through a package's index, and never in a circle.
 * @param layers the content of layers.json.
 * @param members see readMembers.
 * @returns one line per fault.
 */
export function checkLayers(layers, members) {
  const byName = new Map(members.map((member) => [member.name, member]));
  const faults = [];
  for (const member of members) {
    const allowed = layers.allowed[member.name];
    if (allowed === undefined) {
      faults.push(`${member.folder}: "${member.name}" has no line in layers.json`);
      continue;
    }
    faults.push(...manifestFaults(layers, member, allowed), ...referenceFaults(layers, member, byName), ...importFaults(layers, member));
  }
  return [...faults, ...cycleFaults(layers, members)];
}

/**
 * A project that the root's list leaves out is neither compiled nor type-checked, and nobody notices.
 * @param config name of the root's configuration, for the message.
 * @param references folders it refers to.
 */
export function checkRootProjects(config, references, members) {
  return members
    .filter((member) => member.references !== undefined && !references.includes(member.folder))
    .map((member) => `${config}: no reference to ${member.folder}`);
}

/** Names, without scope, of the workspace packages in one or more dependency lists of a manifest. */
function workspaceDependencies(layers, manifest, lists) {
  const prefix = `${layers.scope}/`;
  const names = lists.flatMap((list) => Object.keys(manifest[list] ?? {}));
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

const RUNTIME = ['dependencies', 'peerDependencies', 'optionalDependencies'];
const ALL = [...RUNTIME, 'devDependencies'];

function manifestFaults(layers, member, allowed) {
  if (allowed === layers.any) return [];
  return workspaceDependencies(layers, member.manifest, RUNTIME)
    .filter((name) => !allowed.includes(name))
    .map((name) => `${member.folder}/package.json: ${member.name} may not depend on ${name} (layers.json)`);
}

function referenceFaults(layers, member, byName) {
  if (member.references === undefined) return [];
  const names = workspaceDependencies(layers, member.manifest, member.isPackage ? RUNTIME : ALL);
  const wanted = new Set(names.map((name) => byName.get(name)?.folder ?? `?/${name}`));
  const found = new Set(member.references);
  const where = `${member.folder}/tsconfig.json`;
  return [
    ...[...wanted].filter((folder) => !found.has(folder)).map((folder) => `${where}: no reference to the dependency ${folder}`),
    ...[...found].filter((folder) => !wanted.has(folder)).map((folder) => `${where}: refers to ${folder}, which is no dependency`),
  ];
}

function importFaults(layers, member) {
  const runtime = new Set((member.isPackage ? RUNTIME : ALL).flatMap((list) => Object.keys(member.manifest[list] ?? {})));
  const all = new Set(ALL.flatMap((list) => Object.keys(member.manifest[list] ?? {})));
  const faults = [];
  for (const source of member.sources) {
    for (const found of source.imports) {
      const fault = importFault(layers, { member, source, declared: runtime, home: `${member.folder}/src` }, found.specifier);
      if (fault) faults.push(`${source.at(found.offset)}: ${fault}`);
    }
  }
  for (const source of member.tests) {
    for (const found of source.imports) {
      const fault = importFault(layers, { member, source, declared: all, home: member.folder, isTest: true }, found.specifier);
      if (fault) faults.push(`${source.at(found.offset)}: ${fault}`);
    }
  }
  return faults;
}

function importFault(layers, { member, source, declared, home, isTest = false }, specifier) {
  if (specifier.startsWith('node:')) return undefined;
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const target = posix.join(posix.dirname(source.file), specifier);
    return target.startsWith(`${home}/`) ? undefined : `relative import out of ${home}: ${specifier}`;
  }
  const [first, second, ...deep] = specifier.split('/');
  const name = specifier.startsWith('@') ? `${first}/${second}` : first;
  if (first !== layers.scope) {
    // Tests may use the root's own tools (vitest, fast-check); knip looks after those.
    return isTest || declared.has(name) ? undefined : `imports ${name}, which package.json does not list as a dependency`;
  }
  if (deep.length > 0) return `deep import ${specifier}: import ${name}`;
  if (second === member.name) return isTest ? undefined : `imports its own package by name: ${specifier}`;
  if (!isTest && layers.testOnly.includes(second)) return `${name} is for tests only`;
  return declared.has(name) ? undefined : `imports ${name}, which package.json does not list as a dependency`;
}

/** Follows the manifests, so a circle is found whether or not layers.json would allow each of its edges. */
function cycleFaults(layers, members) {
  const edges = new Map(members.map((member) => [member.name, workspaceDependencies(layers, member.manifest, RUNTIME)]));
  const done = new Set();
  const faults = [];
  const visit = (name, path) => {
    const start = path.indexOf(name);
    if (start !== -1) {
      faults.push(`circle of dependencies: ${[...path.slice(start), name].join(' -> ')}`);
    } else if (!done.has(name)) {
      for (const next of edges.get(name) ?? []) visit(next, [...path, name]);
      done.add(name);
    }
  };
  for (const name of edges.keys()) visit(name, []);
  return faults;
}
