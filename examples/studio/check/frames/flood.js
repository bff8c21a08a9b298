document.getElementById("t").onclick = () => { for (let i = 0; i < 100; i++) gsvCanvas.runAction("nope").catch((e) => { document.getElementById("out").textContent += e.code + " "; }); };
document.getElementById("out").onclick = () => { for (let i = 0; i < 5000; i++) gsvCanvas.runAction("nope").catch(() => {}); };
