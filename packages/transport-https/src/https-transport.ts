import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { RequestSink, Runtime, SecureChannelContext } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { SharedTransportParts } from '@bulkhead/transport';
import type { JsonContext } from '@bulkhead/types';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BodyAdmission } from './body-admission.ts';
import { checkOrigin } from './cors.ts';
import { EXCHANGE_DECORATION, setExchange } from './exchange-of.ts';
import { refuse } from './http-refusal.ts';
import { HttpsChannels } from './https-channels.ts';
import { HttpsConnection } from './https-connection.ts';
import type { HttpsEnvironment } from './https-environment.ts';
import { HttpsExchange } from './https-exchange.ts';
import { type HttpsLimits, planHttpsLimits } from './https-limits.ts';
import { WSS_JSON_PROFILE_URI, WSS_OPENAPI_PROFILE_URI } from './https-profiles.ts';
import { JsonFormat, type JsonFormatParts } from './json/json-format.ts';
import { addOpenApiRoutes } from './json/json-routes.ts';
import { JsonUpgradeHandler } from './json-websocket/json-upgrade-handler.ts';
import { addMessageRoutes } from './message-routes.ts';
import type { OpenApiInfo } from './openapi/openapi-document.ts';
import type { WebPort } from './port/web-port.ts';
import { type HttpsRateLimiter, limitRate } from './rate-limit/https-rate-limiter.ts';
import { ServiceRequests } from './service-requests.ts';
import { planSessionlessLimits, SessionlessBudget, type SessionlessLimits } from './sessionless/sessionless-budget.ts';
import type { SessionlessUsers } from './sessionless/sessionless-callers.ts';

export interface HttpsTransportOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly sink: RequestSink;
  /** What HTTPS has in common with the server's other transports. */
  readonly shared: SharedTransportParts;
  readonly port: WebPort;
  readonly limits?: Partial<HttpsLimits>;
  /** Where requests are posted to; `/` in any case. */
  readonly paths?: readonly string[];
  /** Origins of pages that browsers may use the server from; default none. */
  readonly allowedOrigins?: readonly string[];
  /** Serves requests without a Session: who may ask, and how many at a time. Default: they need a Session. */
  readonly sessionless?: { readonly users: SessionlessUsers; readonly limits?: Partial<SessionlessLimits> } | undefined;
  /** Speaks JSON too: messages that say themselves what they are, and OpenAPI. Default: OPC UA Binary alone. */
  readonly json?: JsonOptions | undefined;
  /** Bounds the rate of requests; without one, any rate is fine. */
  readonly rateLimiter?: HttpsRateLimiter | undefined;
}

/** What JSON needs. */
export interface JsonOptions {
  /** As of now: namespaces may be added while the server runs. */
  readonly context: () => JsonContext;
  /** Names of the services that there are, such as `Read`. */
  readonly services: readonly string[];
  readonly info: OpenApiInfo;
}

/** Profiles by subprotocol of the WebSockets whose messages are requests in JSON. OPC 10000-6 §7.5.2. */
const JSON_SUBPROTOCOLS = { 'opcua+uajson': WSS_JSON_PROFILE_URI, 'opcua+openapi': WSS_OPENAPI_PROFILE_URI } as const;

/** OPC UA over HTTPS: each POST carries a request, its response the answer. OPC 10000-6 §7.4. */
export class HttpsTransport {
  readonly limits: HttpsLimits;
  readonly #environment: HttpsEnvironment;
  readonly #port: WebPort;
  readonly #options: HttpsTransportOptions;
  readonly #requests: ServiceRequests;
  #application: FastifyInstance | undefined = undefined;
  #jsonSockets: JsonUpgradeHandler | undefined = undefined;
  /** Those that have sent a request. */
  readonly #connections: Map<IncomingMessage['socket'], HttpsConnection> = new Map();
  readonly #emptied: (() => void)[] = [];
  #isStopping = false;

  /** @throws RangeError that names the limit which is wrong. */
  constructor(options: HttpsTransportOptions) {
    const { port, provider, runtime, sessionless, shared, sink } = options;
    this.limits = planHttpsLimits(options.limits);
    this.#port = port;
    this.#environment = {
      runtime,
      sink,
      provider,
      limits: this.limits,
      channels: new HttpsChannels(sink, shared.channelIds, (session) => sessionless?.users.ended(session)),
      unsent: shared.unsent,
      throttles: shared.throttles,
      sessionless: sessionless && {
        users: sessionless.users,
        budget: new SessionlessBudget(planSessionlessLimits(sessionless.limits ?? {}), this.limits.busyRetryAfterMs),
      },
    };
    this.#options = options;
    this.#requests = new ServiceRequests(this.#environment);
  }

  /** Connections over which requests came, and WebSockets. */
  get connectionCount(): number {
    return this.#connections.size + (this.#jsonSockets?.socketCount ?? 0);
  }

  /** Channels that Sessions or connections hold. */
  get channelCount(): number {
    return this.#environment.channels.openCount;
  }

  /** Session-less requests on their way. */
  get sessionlessRequests(): number {
    return this.#environment.sessionless?.budget.used ?? 0;
  }

  /** Takes the port's requests from now on. */
  async start(): Promise<void> {
    this.#application = await this.#createApplication();
    await this.#application.ready();
    this.#jsonSockets = await this.#createJsonSockets();
    if (this.#jsonSockets !== undefined) this.#port.addUpgradeHandler(this.#jsonSockets);
    this.#port.server.on('request', this.#onRequest);
    // Node answers 100 by itself where nobody listens: before there is room for the body.
    this.#port.server.on('checkContinue', this.#onRequest);
  }

  /** A Session that was created on `channel` is closed: the channel goes with it, once what is open on it is answered. */
  sessionClosed(channel: SecureChannelContext): void {
    this.#environment.channels.retire(channel);
  }

  /**
   * Answers what is still open with 503, lets the peers take their answers for a while, and resolves once no connection is left. The
   * port has to be closed by whoever made it. Idempotent.
   */
  async stop(): Promise<void> {
    const { channels, runtime } = this.#environment;
    this.#isStopping = true;
    channels.closeAll();
    for (const connection of [...this.#connections.values()]) connection.closeSoon();
    const linger = runtime.timers.after(this.limits.lingerTimeoutMs, () => {
      for (const connection of [...this.#connections.values()]) connection.destroy();
      this.#jsonSockets?.destroy();
    });
    await this.#jsonSockets?.stop();
    if (this.#connections.size > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve));
    linger.cancel();
    this.#port.server.off('request', this.#onRequest);
    this.#port.server.off('checkContinue', this.#onRequest);
    await this.#application?.close();
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = this.#connectionOf(request.socket);
    if (connection === undefined) return void request.socket.destroy();
    if (connection.isClosing) return connection.ignoreRequest();
    this.#application?.routing(request, response);
  };

  #connectionOf(socket: IncomingMessage['socket']): HttpsConnection | undefined {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const accepted = this.#port.connectionOf(socket);
    if (accepted === undefined || socket.destroyed) return undefined;
    accepted.requestBegins();
    const connection = new HttpsConnection(this.#environment, accepted, socket, this.limits.maxRequestsPerConnection);
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#closed(socket, connection));
    return connection;
  }

  #closed(socket: IncomingMessage['socket'], connection: HttpsConnection): void {
    this.#connections.delete(socket);
    connection.closed();
    if (this.#connections.size > 0) return;
    for (const resolve of this.#emptied.splice(0)) resolve();
  }

  async #createApplication(): Promise<FastifyInstance> {
    const { allowedOrigins = [], json, paths = [], provider, rateLimiter, runtime, shared } = this.#options;
    // Loaded where it is needed: servers without HTTPS start sooner.
    const { fastify } = await import('fastify');
    // Requests come from the port; the application's own server never listens.
    const application = fastify({ serverFactory: () => createServer(), exposeHeadRoutes: false, bodyLimit: this.limits.maxMessageSize });
    application.decorateRequest(EXCHANGE_DECORATION, undefined);
    application.removeAllContentTypeParsers();
    application.addHook('onRequest', this.#begin);
    if (rateLimiter !== undefined) application.addHook('onRequest', limitRate(rateLimiter, runtime.clock));
    application.addHook('onRequest', checkOrigin(allowedOrigins));
    application.setErrorHandler((error: FastifyError, request, reply) => this.#onError(error, request, reply));
    application.setNotFoundHandler((request, reply) => refuse(request, reply, { statusCode: 404, text: 'not found', closes: false }));
    const parts = { requests: this.#requests, admission: new BodyAdmission(provider, this.limits), limits: this.limits };
    const formatParts = this.#jsonFormatParts();
    addMessageRoutes(application, { ...parts, paths: [...new Set(['/', ...paths])], messages: shared.messages, json: formatParts });
    if (json !== undefined && formatParts !== undefined) {
      addOpenApiRoutes(application, { ...parts, ...formatParts, services: json.services, info: json.info });
    }
    return application;
  }

  /** OPC 10000-6 §7.5.2. */
  async #createJsonSockets(): Promise<JsonUpgradeHandler | undefined> {
    const formatParts = this.#jsonFormatParts();
    if (formatParts === undefined) return undefined;
    const formats = new Map(
      Object.entries(JSON_SUBPROTOCOLS).map(([name, transportProfileUri]) => [
        name,
        new JsonFormat(formatParts, { transportProfileUri, flavour: 'compact' }),
      ]),
    );
    return JsonUpgradeHandler.create({ environment: this.#environment, requests: this.#requests, formats });
  }

  #jsonFormatParts(): JsonFormatParts | undefined {
    const { json, runtime } = this.#options;
    return json && { context: json.context, clock: runtime.clock };
  }

  /** First of all: bounds what one connection has on its way. */
  readonly #begin = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const connection = this.#connections.get(request.raw.socket);
    if (connection === undefined) return void request.raw.socket.destroy();
    const { hasRoom } = connection;
    setExchange(request, new HttpsExchange(connection, reply));
    const retryAfterMs = this.limits.busyRetryAfterMs;
    if (hasRoom && !this.#isStopping) return done();
    connection.endsWithAnswers();
    const text = this.#isStopping ? 'the server stops' : 'too many requests on this connection';
    refuse(request, reply, { statusCode: 503, text, retryAfterMs, closes: true });
  };

  #onError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) this.#environment.runtime.log.log('error', 'https.internalError', { error });
    const text = statusCode >= 500 ? 'internal error' : (error.code ?? 'bad request');
    refuse(request, reply, { statusCode, text, closes: true });
  }
}
