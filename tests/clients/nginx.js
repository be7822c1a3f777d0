import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A port that nobody uses now. */
async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** nginx in front of a server, with its default proxy settings: over HTTP/1.1 and over HTTP/2. */
export class Nginx {
  static async start(folder, upstream) {
    const nginx = new Nginx();
    nginx.plain = `http://127.0.0.1:${await freePort()}`;
    nginx.http2 = `https://127.0.0.1:${await freePort()}`;
    const at = join(folder, "nginx");
    mkdirSync(at);
    const certificate = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", join(at, "key.pem"), "-out", join(at, "cert.pem")];
    execFileSync("openssl", ["req", ...certificate, ...names, ...files], { stdio: "ignore" });
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${at}/${name};`)
      .join(" ");
    writeFileSync(
      join(at, "nginx.conf"),
      `daemon off; pid ${at}/pid; error_log ${at}/error.log;
events {}
http {
  access_log off; ${temporary}
  server {
    listen 127.0.0.1:${new URL(nginx.plain).port};
    location / { proxy_pass ${upstream}; }
  }
  server {
    listen 127.0.0.1:${new URL(nginx.http2).port} ssl http2;
    ssl_certificate ${at}/cert.pem; ssl_certificate_key ${at}/key.pem;
    location / { proxy_pass ${upstream}; }
  }
}
`,
    );
    nginx.process = spawn("nginx", ["-p", at, "-c", join(at, "nginx.conf")], { stdio: "inherit" });
    while (!(await fetch(`${nginx.plain}/healthz`).catch(() => false))) await setTimeout(50);
    return nginx;
  }

  async stop() {
    const exit = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await exit;
  }
}
