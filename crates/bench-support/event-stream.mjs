// The plainest server of an event stream: `GET` opens one, and what is posted is written to all
// of them.
import { createServer } from 'node:http';

const viewers = new Set();
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(': hello\n\n');
    viewers.add(response);
    response.on('close', () => viewers.delete(response));
    return;
  }
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const event = Buffer.concat(parts);
    for (const viewer of viewers) viewer.write(event);
    response.end();
  });
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => console.log(`Listens ${server.address().port}`));
