/**
 * The property for a field of the specification: the first letter in lower case, or all but the last of several leading
 * capitals (`NodesToRead` → `nodesToRead`, `EURange` → `euRange`). The rest of the name stays as it is.
 */
export function propertyName(specName: string): string {
  const capitals = /^[A-Z]+/u.exec(specName)?.[0].length ?? 0;
  const lowered = capitals <= 1 || capitals === specName.length ? capitals : capitals - 1;
  return specName.slice(0, lowered).toLowerCase() + specName.slice(lowered);
}

/** Types of the specification whose names `@bulkhead/types` uses for its own descriptors. */
const takenNames: ReadonlySet<string> = new Set(['StructureType', 'StructureField']);

/** The TypeScript name for a type of the specification: the same, or with the prefix `Ua` where that is taken. */
export function typeName(specName: string): string {
  return takenNames.has(specName) ? `Ua${specName}` : specName;
}
