const main = document.createElement("main");
main.textContent = "Scree";
document.body.append(main);
