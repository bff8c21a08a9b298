setTimeout(() => { location.href = "/f/studio/assets/later.html"; }, 400);
