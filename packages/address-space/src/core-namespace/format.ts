/**
 * The packed form of namespace 0, in the OPC UA Binary encoding of its parts:
 *
 *   header       magic, format, model version, publication date, number of nodes
 *   texts        every name and text once; others refer to them by index (1-based, 0 for none)
 *   permissions  every list of RolePermissions once
 *   nodes        class, id, name, flags and what the flags announce, then what the class has
 *   references   per node: count, then (ReferenceType's index * 2 + 1 if inverse, target's index) in their order
 *
 * All ids are numeric and in namespace 0.
 */
export const MAGIC = 0x534e4b42;
export const FORMAT = 1;

/** What a node's record holds beyond class, id and name. */
export const NodeFlags = {
  DisplayName: 0x01,
  Description: 0x02,
  WriteMask: 0x04,
  RolePermissions: 0x08,
  AccessRestrictions: 0x10,
  SymbolicName: 0x20,
  /** A value, a default or a definition. */
  Content: 0x40,
  /** IsAbstract, Executable or Historizing. */
  Truth: 0x80,
} as const;
