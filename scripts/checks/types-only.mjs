/**
 * Packages of types only must compile to empty modules: a port is a promise between packages, not code in one of them.
 * @returns one line per statement that would emit something.
 */
export function checkTypesOnly(layers, members) {
  const faults = [];
  for (const member of members) {
    if (!layers.typesOnly.includes(member.name)) continue;
    for (const source of member.sources) {
      for (const statement of source.program.body) {
        if (emits(statement)) faults.push(`${source.at(statement.start)}: emits code; ${member.name} holds types only`);
      }
    }
  }
  return faults;
}

function emits(statement) {
  switch (statement.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return false;
    case 'ImportDeclaration':
      return statement.importKind !== 'type';
    case 'ExportAllDeclaration':
      return statement.exportKind !== 'type';
    case 'ExportNamedDeclaration':
      if (statement.exportKind === 'type') return false;
      if (statement.declaration) return emits(statement.declaration);
      return statement.source !== null || statement.specifiers.length > 0;
    default:
      return statement.declare !== true;
  }
}
