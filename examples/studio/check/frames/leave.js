// Leaves its page, in the way that the state names.
(() => {
  const stop = window.gsvCanvas.subscribe(({ elsewhere, page, way }) => {
    if (!way || window.left) return;
    window.left = true;
    stop();
    const url = `http://127.0.0.1:${elsewhere}/left`;
    const go = {
      address: () => location.assign(url),
      asset: () => location.assign("/f/CANVAS/assets/other.html"),
      blob: () => location.assign(URL.createObjectURL(new Blob(["<h1>a blob</h1>"], { type: "text/html" }))),
      data: () => location.assign("data:text/html,<h1>data</h1>"),
      script: () => location.assign(`javascript:fetch("${url}")`),
      page: () => location.assign(`${page}/`),
      refresh: () => document.head.insertAdjacentHTML("beforeend", `<meta http-equiv="refresh" content="0;url=${url}">`),
      write: () => {
        document.open();
        document.write("<h1>written anew</h1>");
        document.close();
      },
      top: () => {
        top.location = url;
      },
    };
    setTimeout(go[way], 200);
  });
})();
