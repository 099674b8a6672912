import { z } from 'zod';

/** What a member of the configuration file is for, as it stands in the JSON Schema. */
export interface MemberNotes {
  readonly unit?: string;
  /** What applies without it, where that is no single value. */
  readonly standard?: string;
}

const MAX_INT32 = 0x7fffffff;
const MAX_ENTRIES = 1000;

/** A whole number from 1 on, unless told otherwise. */
export function integer(
  description: string,
  { min = 1, max = MAX_INT32, ...notes }: MemberNotes & { readonly min?: number; readonly max?: number } = {},
) {
  return z
    .int()
    .min(min)
    .max(max)
    .meta({ description, ...notes });
}

/** Bytes, as many as a number holds exactly. */
export function bytes(description: string, min: number, notes: MemberNotes = {}) {
  return integer(description, { min, max: Number.MAX_SAFE_INTEGER, unit: 'bytes', ...notes });
}

export function milliseconds(description: string, notes: MemberNotes & { readonly min?: number; readonly max?: number } = {}) {
  return integer(description, { unit: 'ms', ...notes });
}

export function flag(description: string, notes: MemberNotes = {}) {
  return z.boolean().meta({ description, ...notes });
}

export function text(description: string, maxLength = 4096, notes: MemberNotes = {}) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .meta({ description, ...notes });
}

/** A list of texts with at least one. */
export function texts(description: string, max: number = MAX_ENTRIES, notes: MemberNotes = {}) {
  return z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(max)
    .meta({ description, ...notes });
}

/** Members that may all be left out, and no others. */
export function section<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.strictObject(shape).partial().meta({ description });
}
