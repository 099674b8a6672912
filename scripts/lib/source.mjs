import { parseSync } from 'vite';

/** Parses a TypeScript or JavaScript file to its ESTree. @throws SyntaxError with the file's name. */
export function parse(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`);
  return program;
}

/**
 * Calls `visit(node, parent)` for every node of a tree, parents first.
 * `visit` may return `false` to leave out what is below a node.
 */
export function walk(node, visit, parent) {
  if (visit(node, parent) === false) return;
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const element of value) if (isNode(element)) walk(element, visit, node);
    } else if (isNode(value)) {
      walk(value, visit, node);
    }
  }
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}

/** 1-based line of an offset. */
export function lineAt(text, offset) {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/**
 * Everything a file imports: static, re-exported, dynamic, `require` and `import('…')` types.
 * @returns `{ specifier, offset, typeOnly }` in the order of the text.
 */
export function importsOf(program) {
  const found = [];
  walk(program, (node) => {
    const source = importSource(node);
    if (typeof source?.value === 'string') {
      const typeOnly = node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type';
      found.push({ specifier: source.value, offset: node.start, typeOnly });
    }
  });
  return found;
}

function importSource(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source;
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require' ? node.arguments[0] : undefined;
    default:
      return undefined;
  }
}
