import { hashPassword } from '../users/password-hash.ts';
import { askPassword } from './ask-password.ts';

/** Reads a password and prints what a configuration keeps of it. @throws Error for an empty password */
export async function printHash(logCost: number | undefined): Promise<void> {
  const password = await askPassword('Password: ');
  if (password === '') throw new Error('the password is empty');
  console.log(await hashPassword(password, logCost));
}
