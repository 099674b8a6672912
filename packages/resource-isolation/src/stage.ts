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

/** Names by stage number, as options and metrics spell them. */
export const stageNames: readonly (keyof typeof Stage)[] = Object.keys(Stage) as (keyof typeof Stage)[];
