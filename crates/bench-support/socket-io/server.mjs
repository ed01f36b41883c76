// The reference server. Every client joins a room, and `shout` sends events to the room.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http);
io.on("connection", (socket) => {
  socket.join("room");
  socket.emit("ready");
  socket.on("shout", (count, size) => {
    const text = "x".repeat(size);
    for (let number = 0; number < count; number++) io.to("room").emit("change", number, text);
  });
});
http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => console.log(http.address().port));
