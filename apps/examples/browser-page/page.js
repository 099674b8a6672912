import { JsonSession, OpenApi } from './opcua-json.js';

const PRESSURE = 'ns=1;s=Pressure';
const SETPOINT = 'ns=1;s=Setpoint';
const DOUBLE = 11;
const POINTS = 300;
const MAX_BAR = 4;

const element = (id) => document.getElementById(id);
const values = [];

function show(value) {
  element('live').textContent = value.toFixed(2);
  values.push(value);
  if (values.length > POINTS) values.shift();
  const points = values.map((each, at) => `${(at / (POINTS - 1)) * 600},${160 - (each / MAX_BAR) * 160}`);
  element('line').setAttribute('points', points.join(' '));
}

async function withAnswer(text, work) {
  try {
    await work();
    element('answer').textContent = text;
  } catch (error) {
    element('answer').textContent = error.message;
  }
}

const { url } = await (await fetch('server.json')).json();
const openApi = new OpenApi(url);

const readSetpoint = async () => {
  element('setpoint').textContent = (await openApi.read(SETPOINT)).toFixed(2);
};

element('read').addEventListener('click', () => void withAnswer('read', readSetpoint));
element('write').addEventListener('submit', (event) => {
  event.preventDefault();
  const wanted = Number(element('wanted').value);
  void withAnswer('written', async () => {
    await openApi.write(SETPOINT, DOUBLE, wanted);
    await readSetpoint();
  });
});

await withAnswer('', readSetpoint);
try {
  const session = await JsonSession.open(url.replace('https:', 'wss:'));
  element('state').textContent = `connected to ${url}`;
  await session.subscribe(200, { [PRESSURE]: ({ Value }) => show(Value) });
  const { code } = await session.closed;
  element('state').textContent = `disconnected (${code})`;
} catch (error) {
  element('state').textContent = error.message;
}
