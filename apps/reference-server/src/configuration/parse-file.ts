import { liftServerSection, type PlainFile } from '../server-section.ts';
import { parsePasswordHash } from '../users/password-hash.ts';
import { type ConfigurationJson, fileSchema } from './file-schema.ts';
import { ConfigurationError, describeIssues, onOneLine, pathText } from './problems.ts';

/** A configuration file, checked. */
export interface ParsedFile {
  readonly json: ConfigurationJson;
  /** A path as the file has it. */
  readonly spell: (path: readonly PropertyKey[]) => string;
}

/**
 * Reads the text of a configuration file.
 * @throws ConfigurationError that has everything that is wrong.
 */
export function parseFile(text: string, fileName: string): ParsedFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`not JSON: ${onOneLine((error as Error).message)}`, fileName);
  }
  const file = lift(json, fileName);
  const spell = (path: readonly PropertyKey[]): string => file.spellingOf(path) ?? pathText(path);
  return { json: checkJson(file.json, fileName, spell), spell };
}

/**
 * Checks JSON that is in the form of a configuration file.
 * @param where stands before each problem.
 * @throws ConfigurationError
 */
export function checkJson(json: unknown, where: string, spell: (path: readonly PropertyKey[]) => string): ConfigurationJson {
  const result = fileSchema.safeParse(json);
  if (!result.success) throw new ConfigurationError(describeIssues(result.error.issues, json, spell), where);
  const problems = userProblems(result.data, spell);
  if (problems.length > 0) throw new ConfigurationError(problems, where);
  return result.data;
}

function userProblems({ users = [] }: ConfigurationJson, spell: (path: readonly PropertyKey[]) => string): string[] {
  return users.flatMap(({ password, passwordHash }, at) => {
    if ((password === undefined) === (passwordHash === undefined)) {
      return [`${spell(['users', at])}: passwordHash or password is wanted, and one of them only`];
    }
    if (passwordHash === undefined || parsePasswordHash(passwordHash) !== undefined) return [];
    return [`${spell(['users', at, 'passwordHash'])}: what is there, expected what "bulkhead hash-password" prints`];
  });
}

function lift(json: unknown, fileName: string): PlainFile {
  try {
    return liftServerSection(json);
  } catch (error) {
    throw new ConfigurationError(onOneLine((error as Error).message), fileName);
  }
}
