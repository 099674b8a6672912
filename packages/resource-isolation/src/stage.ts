/** The separately counted resources, in the order a request meets them. */
export const Stage: {
  readonly Connection: 0;
  readonly Handshake: 1;
  readonly ReassemblyBytes: 2;
  readonly RequestQueue: 3;
  readonly RequestQueueBytes: 4;
  readonly ParkedRequest: 5;
  readonly RequestExecution: 6;
  readonly SessionEstablishment: 7;
} = {
  Connection: 0,
  Handshake: 1,
  ReassemblyBytes: 2,
  RequestQueue: 3,
  RequestQueueBytes: 4,
  ParkedRequest: 5,
  RequestExecution: 6,
  SessionEstablishment: 7,
};
export type Stage = (typeof Stage)[keyof typeof Stage];

/** How options, JSON and metrics spell a stage. */
export type StageName = keyof typeof Stage;

/** Stages of a decoded request; only these have a reserve for control work. */
export type DecodedRequestStageName = 'RequestQueue' | 'RequestQueueBytes' | 'ParkedRequest' | 'RequestExecution';

/** Names by stage number, as options and metrics spell them. */
export const stageNames: readonly StageName[] = Object.keys(Stage) as StageName[];

/** All stages, by number. */
export const stages: readonly Stage[] = Object.values(Stage);

export function isDecodedRequestStage(stage: Stage): boolean {
  return stage >= Stage.RequestQueue && stage <= Stage.RequestExecution;
}

/** True for the stages that count bytes; the others count operations. */
export function isByteStage(stage: Stage): boolean {
  return stage === Stage.ReassemblyBytes || stage === Stage.RequestQueueBytes;
}
