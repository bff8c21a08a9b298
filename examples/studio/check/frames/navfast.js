const to = new URLSearchParams(location.search).get("to") ?? "http://localhost:" + (location.port - 1) + "/";
setTimeout(() => { location.href = to; }, 400);
