import { defaultConfiguration, parseConfiguration, planReferenceServer, planTable } from '@bulkhead/reference-server';
import { describe, expect, it } from 'vitest';
import { documentPaths, readDocument } from './markdown.ts';

const configurations = documentPaths().flatMap((path) =>
  readDocument(path)
    .blocks.filter(({ language }) => language === 'json')
    .map(({ text, line }) => ({ name: `${path}:${line}`, text })),
);

describe('the configurations that the documents show', () => {
  it.each(configurations)('$name is one that the server can start with', ({ name, text }) => {
    const plan = planReferenceServer({ ...defaultConfiguration, ...parseConfiguration(text, name) } as typeof defaultConfiguration);
    expect(plan.stages).toHaveLength(8);
  });

  it('lead to the table that is shown below', () => {
    const [first] = configurations.filter(({ name }) => name.startsWith('docs/resource-isolation.md'));
    const shown = readDocument('docs/resource-isolation.md').blocks.find(({ text }) => text.startsWith('mode '));
    const configuration = { ...defaultConfiguration, ...parseConfiguration(first?.text ?? '', 'first') } as typeof defaultConfiguration;
    expect(shown?.text).toBe(planTable(planReferenceServer(configuration)));
  });
});
