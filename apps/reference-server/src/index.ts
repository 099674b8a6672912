export { type ConfigurationMember, configurationMembers } from './configuration/json-schema.ts';
export { type Configuration, defaultConfiguration, parseConfiguration } from './configuration.ts';
export { REFERENCE_NAMESPACE_INDEX, REFERENCE_NAMESPACE_URI, type ReferenceNodeGroup, referenceNodeIds } from './nodes/node-ids.ts';
export { addReferenceNodes, type ReferenceNodes, type ReferenceNodesOptions } from './nodes/reference-nodes.ts';
export { planTable } from './plan-table.ts';
export { planReferenceServer, type ReferenceServer, startReferenceServer } from './serve.ts';
export { type CallerReport, readServerReport, type ServerReport } from './top/server-report.ts';
export { topTable } from './top/top-table.ts';
