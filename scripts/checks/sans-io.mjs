import { walk } from '../lib/source.mjs';

/** Node modules without input, output, time or randomness. */
const HARMLESS_MODULES = new Set(['node:buffer', 'node:util']);

/** Globals that reach the clock, the timers, the network, random numbers or the process. */
const FORBIDDEN_GLOBALS = new Set([
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'crypto',
  'fetch',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

const FORBIDDEN_MEMBERS = new Set(['Date.now', 'Math.random']);

/**
 * In the sans-IO packages time, timers, randomness and connections are arguments. Finds what reaches them past the arguments,
 * and `node:crypto` anywhere but in the packages that may use it.
 * @returns one line per fault.
 */
export function checkSansIo(layers, members) {
  const faults = [];
  for (const member of members) {
    if (!member.isPackage) continue;
    for (const source of member.sources) {
      if (!layers.nodeCryptoOnlyIn.includes(member.name)) faults.push(...cryptoImports(source));
      if (layers.sansIo.includes(member.name)) faults.push(...ioImports(source), ...ioGlobals(source));
    }
  }
  return faults;
}

function cryptoImports(source) {
  return valueImports(source, (specifier) => specifier === 'node:crypto');
}

function ioImports(source) {
  const isIo = (specifier) => specifier.startsWith('node:') && specifier !== 'node:crypto' && !HARMLESS_MODULES.has(specifier);
  return valueImports(source, isIo);
}

function valueImports(source, unwanted) {
  return source.imports
    .filter(({ specifier, typeOnly }) => !typeOnly && unwanted(specifier))
    .map(({ specifier, offset }) => `${source.at(offset)}: imports ${specifier}`);
}

function ioGlobals(source) {
  const own = declaredNames(source.program);
  const faults = new Map();
  walk(source.program, (node, parent) => {
    if (isType(node)) return false;
    const used = forbiddenUse(node, parent, own);
    // By offset: in `{ setTimeout }` the key and the value are one name.
    if (used) faults.set(node.start, `${source.at(node.start)}: uses ${used}`);
    return true;
  });
  return [...faults.values()];
}

function forbiddenUse(node, parent, own) {
  switch (node.type) {
    case 'Identifier':
      return FORBIDDEN_GLOBALS.has(node.name) && !own.has(node.name) && !isPropertyName(node, parent) ? node.name : undefined;
    case 'MemberExpression': {
      const name = `${node.object.name}.${node.property.name}`;
      if (node.object.name === 'globalThis') return name;
      return FORBIDDEN_MEMBERS.has(name) ? name : undefined;
    }
    case 'NewExpression':
      return node.callee.name === 'Date' && node.arguments.length === 0 ? 'new Date()' : undefined;
    case 'CallExpression':
      return node.callee.name === 'Date' ? 'Date()' : undefined;
    default:
      return undefined;
  }
}

function isPropertyName(node, parent) {
  if (parent === undefined || parent.computed) return false;
  if (parent.type === 'MemberExpression') return parent.property === node;
  // The name outside, in `import { name as own }` or `export { own as name }`, is a property of the other module.
  if (parent.type === 'ImportSpecifier') return parent.imported === node;
  if (parent.type === 'ExportSpecifier') return parent.exported === node;
  return parent.key === node;
}

/** Type syntax emits nothing; these are the TS nodes that hold a value. */
const VALUE_WRAPPERS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

function isType(node) {
  return node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type);
}

/** Names a file declares anywhere: an argument called `crypto` is not the global. */
function declaredNames(program) {
  const names = new Set();
  const collect = (pattern) => {
    if (pattern) walk(pattern, (node) => (node.type === 'Identifier' ? void names.add(node.name) : !isType(node)));
  };
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' || node.type === 'ClassDeclaration') collect(node.id);
    else if (node.type === 'ImportDeclaration') for (const specifier of node.specifiers) collect(specifier.local);
    else if (Array.isArray(node.params) && !isType(node)) {
      collect(node.id);
      for (const parameter of node.params) collect(parameter);
    }
  });
  return names;
}
