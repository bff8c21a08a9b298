// Tries to get out of its frame in every way that its author knew. Each way gives "refused", or what it got.
(() => {
  const got = {};
  const LEAST = 700; // ms within which something would have answered
  const image = (url) =>
    new Promise((resolve, reject) => {
      const node = new Image();
      node.onload = () => resolve("loaded");
      node.onerror = () => reject(new Error("not loaded"));
      node.src = url;
    });
  const opened = (target) =>
    new Promise((resolve, reject) => {
      target.onopen = () => resolve("opened");
      target.onerror = () => reject(new Error("not opened"));
    });
  const child = (attributes) =>
    new Promise((resolve, reject) => {
      const frame = Object.assign(document.createElement(attributes.data ? "object" : "iframe"), attributes);
      frame.onload = () => resolve(`loaded ${frame.contentDocument ? "and open" : "and closed"}`);
      frame.onerror = () => reject(new Error("not loaded"));
      document.body.append(frame);
    });

  window.tries = (elsewhere) => {
    const url = `http://127.0.0.1:${elsewhere}`;
    return {
      fetch: () => fetch(`${url}/fetch`, { mode: "no-cors" }).then(() => "answered"),
      "fetch by name": () => fetch("http://fetch.leak.test/", { mode: "no-cors" }).then(() => "answered"),
      "fetch of its own": () => fetch("/gsv.js").then(() => "answered"),
      "fetch of the page": () => fetch(`${window.studioPage}/`, { mode: "no-cors" }).then(() => "answered"),
      XHR: () =>
        new Promise((resolve, reject) => {
          const one = new XMLHttpRequest();
          one.onload = () => resolve("answered");
          one.onerror = () => reject(new Error("no answer"));
          one.open("GET", `${url}/xhr`);
          one.send();
        }),
      WebSocket: () => opened(new WebSocket(`ws://127.0.0.1:${elsewhere}/`)),
      "WebSocket of the studio": () => opened(new WebSocket(`${window.studioPage.replace("http", "ws")}/ws`)),
      EventSource: () => opened(new EventSource(`${url}/events`)),
      WebTransport: () => new WebTransport("https://transport.leak.test:4433/").ready.then(() => "opened"),
      image: () => image(`${url}/image.png`),
      "image of the page": () => image(`${window.studioPage}/icon.svg`),
      font: () => new FontFace("x", `url(${url}/font.woff)`).load().then(() => "loaded"),
      style: () => {
        document.body.style.backgroundImage = `url(${url}/style.png)`;
        document.body.style.cursor = "url(http://cursor.leak.test/x), auto";
        throw new Error("the listener tells");
      },
      script: () =>
        new Promise((resolve, reject) => {
          const node = document.createElement("script");
          node.onload = () => resolve("loaded");
          node.onerror = () => reject(new Error("not loaded"));
          node.src = `${url}/script.js`;
          document.body.append(node);
        }),
      "module by name": () => import("http://module.leak.test/x.js").then(() => "loaded"),
      links: () => {
        for (const rel of ["dns-prefetch", "preconnect", "prefetch", "modulepreload", "prerender", "icon", "manifest"]) {
          document.head.append(Object.assign(document.createElement("link"), { rel, href: `http://${rel}.later.leak.test/` }));
          document.head.append(Object.assign(document.createElement("link"), { rel, href: `${url}/${rel}` }));
        }
        const rules = Object.assign(document.createElement("script"), { type: "speculationrules" });
        rules.textContent = JSON.stringify({
          prefetch: [{ source: "list", urls: [`${url}/speculation`, "http://speculation.leak.test/"] }],
        });
        document.head.append(rules);
        throw new Error("the listener tells");
      },
      eval: () => (0, eval)("'ran'"),
      "a function of text": () => new Function("return 'ran'")(),
      "a timer of text": () =>
        new Promise((resolve, reject) => {
          window.byTimer = () => resolve("ran");
          setTimeout("byTimer()", 0);
          setTimeout(() => reject(new Error("not run")), 100);
        }),
      "inline script": () => {
        const node = document.createElement("script");
        node.textContent = "document.body.dataset.inline = 'ran'";
        document.body.append(node);
        document.querySelector("button").click();
        if (document.body.dataset.inline) return "ran";
        throw new Error("not run");
      },
      worker: () => opened(new Worker("/gsv.js")),
      "worker of a blob": () => opened(new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])))),
      "shared worker": () => opened(new SharedWorker("/gsv.js")),
      "service worker": () => navigator.serviceWorker.register("/gsv.js").then(() => "registered"),
      cookie: () => {
        document.cookie = "a=1";
        if (document.cookie) return "stored";
        throw new Error("not stored");
      },
      localStorage: () => (localStorage.a = "1") && "stored",
      sessionStorage: () => (sessionStorage.a = "1") && "stored",
      indexedDB: () =>
        new Promise((resolve, reject) => {
          const one = indexedDB.open("x");
          one.onsuccess = () => resolve("stored");
          one.onerror = () => reject(new Error("not stored"));
        }),
      caches: () => caches.open("x").then(() => "stored"),
      "storage access": () => document.requestStorageAccess().then(() => "granted"),
      "files of its own": () => navigator.storage.getDirectory().then(() => "stored"),
      "the page's document": () => parent.document.title,
      "the page's address": () => parent.location.href,
      "the page's frames": () => {
        for (const other of parent.frames) if (other !== window) return other.location.href;
        throw new Error("there are none");
      },
      "the page, sent elsewhere": () => {
        top.location.href = `${url}/top`;
        throw new Error("the listener tells");
      },
      "the page, by a link": () => {
        const link = Object.assign(document.createElement("a"), { href: `${url}/link`, target: "_top" });
        document.body.append(link);
        link.click();
        throw new Error("the listener tells");
      },
      "a window": () => (open(`${url}/window`) ? "opened" : Promise.reject(new Error("not opened"))),
      "a window by a link": () => {
        const link = Object.assign(document.createElement("a"), { href: `${url}/blank`, target: "_blank", rel: "opener" });
        document.body.append(link);
        link.click();
        throw new Error("the listener tells");
      },
      form: () => {
        const form = document.querySelector("form");
        form.action = `${url}/form`;
        form.submit();
        throw new Error("the listener tells");
      },
      ping: () => {
        document.querySelector("#ping").click();
        throw new Error("the listener tells");
      },
      beacon: () => {
        navigator.sendBeacon(`${url}/beacon`, "x");
        throw new Error("the listener tells");
      },
      dialogs: () => {
        alert("x");
        return confirm("x") ? "asked" : Promise.reject(new Error("no dialog"));
      },
      clipboard: () => navigator.clipboard.readText().then(() => "read"),
      place: () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(() => resolve("known"), reject)),
      camera: () => navigator.mediaDevices.getUserMedia({ video: true }).then(() => "seen"),
      notification: () =>
        Notification.requestPermission().then((answer) => (answer === "granted" ? answer : Promise.reject(new Error(answer)))),
      fullscreen: () => document.documentElement.requestFullscreen().then(() => "taken"),
      "pointer lock": () => document.body.requestPointerLock().then(() => "taken"),
      WebRTC: () => peer(window, elsewhere),
      "WebRTC of a frame within": () => {
        const frame = document.body.appendChild(document.createElement("iframe"));
        return peer(frame.contentWindow, elsewhere);
      },
      "WebRTC of a frame with a script": () =>
        new Promise((resolve, reject) => {
          const frame = document.createElement("iframe");
          frame.srcdoc = `<script src="${location.origin}/f/CANVAS/assets/peer.js"></script>`;
          addEventListener("message", ({ data }) => typeof data === "string" && resolve(data));
          // In a tree that no observer of the document sees.
          const host = document.body.appendChild(document.createElement("div"));
          host.attachShadow({ mode: "closed" }).append(frame);
          setTimeout(() => reject(new Error("nothing was said")), 600);
        }),
      "a frame of elsewhere": () => child({ src: `${url}/frame` }),
      "a frame of the page": () => child({ src: `${window.studioPage}/` }),
      "an object of elsewhere": () => child({ data: `${url}/object` }),
      "a frame of a script": () => child({ src: "javascript:parent.document.body.dataset.inline='ran'" }),
    };
  };

  async function peer(of, elsewhere) {
    const one = new of.RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${elsewhere}` }, { urls: "stun:stun.leak.test:3478" }] });
    one.createDataChannel("x");
    await one.setLocalDescription(await one.createOffer());
    await new Promise((resolve) => setTimeout(resolve, 500));
    return "connected";
  }

  const stop = window.gsvCanvas.subscribe(async ({ elsewhere, page }) => {
    if (!elsewhere || window.began) return;
    window.began = true;
    window.studioPage = page;
    stop();
    for (const [name, run] of Object.entries(window.tries(elsewhere))) {
      const tooLate = new Promise((_, reject) => setTimeout(() => reject(new Error("nothing came")), LEAST));
      try {
        got[name] = `got: ${await Promise.race([Promise.resolve().then(run), tooLate])}`;
      } catch (error) {
        got[name] = `refused: ${error?.name} ${error?.message}`.slice(0, 120);
      }
      document.querySelector("#out").textContent = JSON.stringify(got);
    }
    document.body.dataset.done = "yes";
  });
})();
